"""The rows that belong to pages alone."""

from django.contrib.auth.models import User
from django.db import models


class SavedView(models.Model):
    """A list page with filters, order and columns, which an account has given a name."""

    account = models.ForeignKey(User, models.CASCADE, related_name="+", db_index=False)
    page = models.CharField(max_length=400, help_text="The path of the list.")
    name = models.CharField(max_length=80)
    query = models.CharField(max_length=2000, blank=True, help_text="The address after the question mark.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(fields=["account", "page", "name"], name="saved_view_name_once_per_page"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        return f"{self.page}?{self.query}" if self.query else self.page
