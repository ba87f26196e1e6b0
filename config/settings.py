"""Every setting, read once from the environment; `docs/settings.md` explains each name."""

import secrets
from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF, STRICT_DYNAMIC
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse_lazy

from config.env_types import Environment

env = Environment()
BASE_DIR = Path(__file__).resolve().parent.parent

# Where things live -------------------------------------------------------------------------------------------

DATA_DIR = env.folder("CROSSWALK_DATA_DIR", BASE_DIR / ".data")
DATA_DIR.mkdir(parents=True, exist_ok=True)
PORT = env.whole("CROSSWALK_PORT", 8000, least=1)
DEBUG = env.flag("CROSSWALK_DEBUG")


def _kept_secret() -> str:
    """The secret from the environment, else one made at the first start and kept beside the embedded database."""
    given = env.text("CROSSWALK_SECRET_KEY")
    if given:
        return given
    if env.text("DATABASE_URL"):
        raise ImproperlyConfigured(
            "CROSSWALK_SECRET_KEY must be set where DATABASE_URL is: every process needs the same"
        )
    kept = DATA_DIR / "secret_key"
    if not kept.exists():
        kept.touch(mode=0o600)
        kept.write_text(secrets.token_urlsafe(48))
    return kept.read_text()


SECRET_KEY = _kept_secret()
PUBLIC_URL = env.text("CROSSWALK_PUBLIC_URL", f"http://127.0.0.1:{PORT}").rstrip("/")
# Where the addresses begin that are handed out below `web/`; `tests/web/test_addresses.py` compares them to the routes.
WORKER_ENTRY_PATH = "/enter/"
CLIPS_PATH = "/clips/"
UPLOADS_PATH = "/api/v1/uploads/"
ALLOWED_HOSTS = [
    urlsplit(PUBLIC_URL).hostname or "",
    *env.words("CROSSWALK_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1],testserver"),
]
SECURE_COOKIES = PUBLIC_URL.startswith("https://")
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
FIRST_API_KEY = env.text("CROSSWALK_API_KEY")
FIRST_ADMIN_PASSWORD = env.text("CROSSWALK_ADMIN_PASSWORD")

# Limits of what may be posted --------------------------------------------------------------------------------

VIDEO_MAX_BYTES = env.whole("CROSSWALK_VIDEO_MAX_MB", 500, least=1) * 1024 * 1024
VIDEO_MAX_DURATION_S = env.whole("CROSSWALK_VIDEO_MAX_MINUTES", 15, least=1) * 60
TRAJECTORY_MAX_BYTES = env.whole("CROSSWALK_TRAJECTORY_MAX_MB", 100, least=1) * 1024 * 1024
UPLOAD_PART_BYTES = env.whole("CROSSWALK_UPLOAD_PART_MB", 8, least=5) * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
WORK_TOKEN_DAYS = env.whole("CROSSWALK_WORK_TOKEN_DAYS", 30, least=1)

# Contact of workers, and how long their texts and identities are kept ----------------------------------------

CONTACT = env.text("CROSSWALK_CONTACT")
RETENTION_TEXT_DAYS = env.whole("CROSSWALK_RETENTION_TEXT_DAYS", 0)
RETENTION_IDENTITY_DAYS = env.whole("CROSSWALK_RETENTION_IDENTITY_DAYS", 0)

# Pay ---------------------------------------------------------------------------------------------------------

LEAST_HOURLY_PAY = env.amount("CROSSWALK_LEAST_HOURLY_PAY", "8.00")

# Live sessions -----------------------------------------------------------------------------------------------

AGENT_SILENCE_S = env.whole("CROSSWALK_AGENT_SILENCE_S", 30, least=1)
BUILDER_CAPACITY = env.whole("CROSSWALK_BUILDER_CAPACITY", 16, least=1)

# Parts -------------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "web",
    "demo",
    "evaluation",
    "interaction",
    "routing",
    "commands",
    "annotation",
    "workforce",
    "agents",
    "audit",
    "jobs",
    "common",
    # After the other apps of ours: its eraser must be registered after those of the apps that it joins.
    "config",
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_vite",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
]

MIDDLEWARE = [
    "web.http.request_log.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "web.staff.sign_in.second_factor.SecondFactorRequired",
    "web.api.idempotency.IdempotencyMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DATABASES = {"default": env.database("DATABASE_URL", embedded=DATA_DIR / "crosswalk.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

# Files -------------------------------------------------------------------------------------------------------

FRONTEND_DIST = BASE_DIR / "frontend" / "dist"
STATIC_URL = "/static/"
STATIC_ROOT = env.folder("CROSSWALK_STATIC_DIR", DATA_DIR / "static")
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [FRONTEND_DIST] if FRONTEND_DIST.exists() else []
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
DJANGO_VITE = {"default": {"dev_mode": False, "manifest_path": FRONTEND_DIST / "manifest.json"}}
MEDIA_ROOT = DATA_DIR / "files"
S3_BUCKET = env.text("CROSSWALK_S3_BUCKET")
STORAGES = {
    "default": (
        {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {"bucket_name": S3_BUCKET, "querystring_auth": True, "file_overwrite": True},
        }
        if S3_BUCKET
        else {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": MEDIA_ROOT}}
    ),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# People ------------------------------------------------------------------------------------------------------

AUTH_PASSWORD_VALIDATORS = [{"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"}]
LOGIN_URL = reverse_lazy("staff-sign-in")
LOGIN_REDIRECT_URL = reverse_lazy("staff-overview")
LOGOUT_REDIRECT_URL = LOGIN_URL
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
BEHIND_PROXY = env.flag("CROSSWALK_BEHIND_PROXY")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_HSTS_SECONDS = 31_536_000 if SECURE_COOKIES else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [NONCE, STRICT_DYNAMIC],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "media-src": [SELF, "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

# How staff sign in; the adapters are in web/staff/sign_in/ --------------------------------------------------

REQUIRE_TOTP = env.flag("CROSSWALK_REQUIRE_TOTP")
OIDC_SERVER_URL = env.address("CROSSWALK_OIDC_SERVER_URL")
OIDC_CLIENT_ID = env.text("CROSSWALK_OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = env.text("CROSSWALK_OIDC_CLIENT_SECRET")
OIDC_NAME = env.text("CROSSWALK_OIDC_NAME", "your organisation")
OIDC_STAFF_DOMAIN = env.text("CROSSWALK_OIDC_STAFF_DOMAIN").lower().removeprefix("@")
if OIDC_SERVER_URL and not (OIDC_CLIENT_ID and OIDC_CLIENT_SECRET):
    raise ImproperlyConfigured(
        "CROSSWALK_OIDC_CLIENT_ID and CROSSWALK_OIDC_CLIENT_SECRET must be set where CROSSWALK_OIDC_SERVER_URL is"
    )

ACCOUNT_ADAPTER = "web.staff.sign_in.accounts.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_EMAIL_VERIFICATION = SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False
# `login_failed` counts attempts by address and by account; web/staff/sign_in/accounts.py quotes the five minutes.
ACCOUNT_RATE_LIMITS = {"login": "120/m/ip", "login_failed": "20/m/ip,5/5m/key"}
SOCIALACCOUNT_ADAPTER = "web.staff.sign_in.oidc.ServiceAdapter"
MFA_ADAPTER = "web.staff.sign_in.second_factor.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "web.staff.sign_in.second_factor.SignInCodeForm",
    "reauthenticate": "web.staff.sign_in.second_factor.ConfirmCodeForm",
    "activate_totp": "web.staff.sign_in.second_factor.ActivateForm",
}
MFA_TOTP_ISSUER = "Crosswalk"
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if BEHIND_PROXY else 0

# The API -----------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["web.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["web.api.authentication.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["web.http.parsing.JsonParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "web.http.parsing.Negotiation",
    "DEFAULT_SCHEMA_CLASS": "web.http.openapi.Schema",
    "EXCEPTION_HANDLER": "web.http.problems.problem_response",
    "UNAUTHENTICATED_USER": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Crosswalk",
    "DESCRIPTION": "Post episodes of agents, have people mark them, pull back a ranking.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# Background work ---------------------------------------------------------------------------------------------

CELERY_BROKER_URL = env.text("CELERY_BROKER_URL")
REDIS_URL = env.text("REDIS_URL")

# All processes must count the same attempts to sign in and know the same used codes, so they share one cache.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL, "KEY_PREFIX": "cache"}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "crosswalk_cache"}
}

# Modules that act on the answers of tasks, in this order, in the transaction that settles a task
# (`annotation/consensus/signals.py`).
TASK_FOLLOWERS = ["routing.dispatch"]

# Logs --------------------------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request_id": {"()": "web.http.request_log.RequestIdFilter"}},
    "formatters": {"json": {"()": "web.http.request_log.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "filters": ["request_id"], "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": env.text("CROSSWALK_LOG_LEVEL", "INFO").upper()},
    "loggers": {
        "django.request": {"level": "ERROR"},
        # The filesystem transport has no host, and kombu logs that at every start.
        "kombu.connection": {"level": "ERROR"},
        "httpx": {"level": "WARNING"},
    },
}

UNFOLD = {"SITE_TITLE": "Crosswalk", "SITE_HEADER": "Crosswalk", "SITE_URL": "/staff/"}
