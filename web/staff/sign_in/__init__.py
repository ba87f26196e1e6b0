"""Sign-in of staff: the password, the second factor, the organisation's own service, and the page of the own account.

django-allauth implements it. These modules configure it: permissions, messages, and when a proof is asked for again.
"""
