"""How staff come in: the password, the second factor, the organisation's own sign-in; and the page of their account.

django-allauth does the work. Here stands what we decide: who may come in, what it says, and what is asked again.
"""
