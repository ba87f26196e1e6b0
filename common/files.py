"""Files that come in with a request."""

import hashlib
from typing import Any

from django.core.files.uploadedfile import UploadedFile


def file_digest(file: "UploadedFile[Any]") -> str:
    """SHA-256 (hex) of an uploaded file, read in chunks and rewound."""
    sha = hashlib.sha256()
    for chunk in file.chunks():
        sha.update(chunk)
    file.seek(0)
    return sha.hexdigest()
