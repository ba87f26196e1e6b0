"""Every setting, read once from the environment; `docs/settings.md` explains each name."""

import gc
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF, STRICT_DYNAMIC
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse_lazy

from config.private_files import kept_secret
from config.server_settings import BASE_DIR, DATA_DIR, LOG_LEVEL, PORT, env
from config.server_settings import BUILDER_CAPACITY as BUILDER_CAPACITY

# What modules make while they are loaded stays: looking for garbage in it takes a quarter of the start for nothing.
# `config/apps.py` turns the collection on again.
gc.disable()

# Where things live -------------------------------------------------------------------------------------------

DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
AUDIT_ANCHOR_DIR = env.folder("CROSSWALK_AUDIT_ANCHOR_DIR", DATA_DIR / "audit")
DEBUG = env.flag("CROSSWALK_DEBUG")
WEB_THREADS = env.whole("CROSSWALK_WEB_THREADS", 8, least=1)


SECRET_KEY = env.text("CROSSWALK_SECRET_KEY")
if not SECRET_KEY and env.text("DATABASE_URL"):
    raise ImproperlyConfigured("CROSSWALK_SECRET_KEY must be set where DATABASE_URL is: every process needs the same")
SECRET_KEY = SECRET_KEY or kept_secret(DATA_DIR / "secret_key")
SECRET_KEY_FALLBACKS = env.words("CROSSWALK_SECRET_KEY_FALLBACKS")
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
SUITE_MAX_BYTES = env.whole("CROSSWALK_SUITE_MAX_MB", 4096, least=1) * 1024 * 1024
VIDEO_MAX_DURATION_S = env.whole("CROSSWALK_VIDEO_MAX_MINUTES", 15, least=1) * 60
TRAJECTORY_MAX_BYTES = env.whole("CROSSWALK_TRAJECTORY_MAX_MB", 100, least=1) * 1024 * 1024
UPLOAD_PART_BYTES = env.whole("CROSSWALK_UPLOAD_PART_MB", 8, least=5) * 1024 * 1024
# What stays free for what has begun: below it new writes are refused.
DISK_RESERVE_BYTES = env.whole("CROSSWALK_DISK_RESERVE_MB", 64) * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
ANONYMOUS_BODY_MAX_BYTES = env.whole("CROSSWALK_ANONYMOUS_BODY_KB", 128, least=1) * 1024
BODY_SILENCE_S = env.whole("CROSSWALK_BODY_SILENCE_S", 30, least=1)
BODY_LEAST_BYTES_A_SECOND = env.whole("CROSSWALK_BODY_LEAST_RATE", 1024, least=1)
ANSWER_SILENCE_S = env.whole("CROSSWALK_ANSWER_SILENCE_S", 60, least=1)
ANSWER_LEAST_BYTES_A_SECOND = env.whole("CROSSWALK_ANSWER_LEAST_RATE", 1024, least=1)
HEAD_MAX_S = env.whole("CROSSWALK_HEAD_S", 10, least=1)
ANONYMOUS_SOCKETS_MAX = env.whole("CROSSWALK_ANONYMOUS_SOCKETS", 100, least=1)
FAILED_CREDENTIALS_A_MINUTE = env.whole("CROSSWALK_FAILED_CREDENTIALS_A_MINUTE", 60, least=1)
KEY_REQUESTS_A_MINUTE = env.whole("CROSSWALK_KEY_REQUESTS_A_MINUTE", 12_000, least=1)
WORKER_REQUESTS_A_MINUTE = env.whole("CROSSWALK_WORKER_REQUESTS_A_MINUTE", 3_000, least=1)
CLIP_REQUESTS_A_MINUTE = env.whole("CROSSWALK_CLIP_REQUESTS_A_MINUTE", 6_000, least=1)
WORKER_FRAMES_A_SECOND = env.whole("CROSSWALK_WORKER_FRAMES_A_SECOND", 30, least=1)
AGENT_FRAMES_A_SECOND = env.whole("CROSSWALK_AGENT_FRAMES_A_SECOND", 2_000, least=1)
PICTURE_MAX_PIXELS = env.whole("CROSSWALK_PICTURE_MAX_MEGAPIXELS", 40, least=1) * 1_000_000
UPLOAD_KEEP_DAYS = env.whole("CROSSWALK_UPLOAD_KEEP_DAYS", 7, least=1)
ALLOW_PRIVATE_URLS = env.flag("CROSSWALK_ALLOW_PRIVATE_URLS")
METADATA_MAX_BYTES = env.whole("CROSSWALK_METADATA_MAX_KB", 256, least=1) * 1024
WORK_TOKEN_DAYS = env.whole("CROSSWALK_WORK_TOKEN_DAYS", 30, least=1)
PROLIFIC = env.flag("CROSSWALK_PROLIFIC", default=True)
RETURNS_PER_HOUR = env.whole("CROSSWALK_RETURNS_PER_HOUR", 30, least=1)

# Models: what one training may take, and what the gate allows ------------------------------------------------

TRAINING_MEMORY_BYTES = env.whole("CROSSWALK_TRAINING_MEMORY_MB", 4096, least=64) * 1024 * 1024
TRAINING_MAX_S = env.whole("CROSSWALK_TRAINING_MINUTES", 60, least=1) * 60
GATE_MARGIN = env.whole("CROSSWALK_GATE_MARGIN_PERCENT", 5, least=1) / 100

# Contact of workers, and how long their texts and identities are kept ----------------------------------------

CONTACT = env.text("CROSSWALK_CONTACT")
RETENTION_TEXT_DAYS = env.whole("CROSSWALK_RETENTION_TEXT_DAYS", 0)
RETENTION_IDENTITY_DAYS = env.whole("CROSSWALK_RETENTION_IDENTITY_DAYS", 0)

# Pay ---------------------------------------------------------------------------------------------------------

LEAST_HOURLY_PAY = env.amount("CROSSWALK_LEAST_HOURLY_PAY", "8.00")

# Mail of alarms ----------------------------------------------------------------------------------------------

ALARM_MAIL = env.words("CROSSWALK_ALARM_MAIL")
DEFAULT_FROM_EMAIL = env.text("CROSSWALK_MAIL_FROM", "crosswalk@localhost")
globals().update(env.mail_server("CROSSWALK_MAIL_SERVER"))

# Live sessions -----------------------------------------------------------------------------------------------

AGENT_SILENCE_S = env.whole("CROSSWALK_AGENT_SILENCE_S", 30, least=1)
SESSION_LOG_MAX_BYTES = env.whole("CROSSWALK_SESSION_LOG_MAX_MB", 32, least=1) * 1024 * 1024
SESSION_BLOCKS_MAX = env.whole("CROSSWALK_SESSION_BLOCKS_MAX", 200_000, least=1)

# Parts -------------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "web",
    "demo",
    "learning",
    "evaluation",
    "interaction",
    "routing",
    "commands",
    "annotation",
    "events",
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
]

MIDDLEWARE = [
    "web.http.request_log.RequestIdMiddleware",
    "web.monitoring.metrics.CountRequests",
    "web.edge.failed_credentials.FailedCredentialLimit",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "web.edge.content_policy.ContentPolicy",
    "web.http.full_disk.RefuseWrites",
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
SQLITE_SYNCHRONOUS = env.choice("CROSSWALK_SQLITE_SYNCHRONOUS", "NORMAL", ("NORMAL", "FULL"))
DATABASES = {
    "default": env.database("DATABASE_URL", embedded=DATA_DIR / "crosswalk.sqlite3", synchronous=SQLITE_SYNCHRONOUS)
}
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
# Vite writes a digest of the content into the name of each script and sheet.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/assets/.+-[A-Za-z0-9_-]{8}\.(js|css)$"
DJANGO_VITE = {"default": {"dev_mode": False, "manifest_path": FRONTEND_DIST / "manifest.json"}}
MEDIA_ROOT = DATA_DIR / "files"
SCRATCH_DIR = DATA_DIR / "scratch"
S3_BUCKET = env.text("CROSSWALK_S3_BUCKET")
S3_DIRECT_ORIGIN = env.origin("CROSSWALK_S3_DIRECT_ORIGIN") if S3_BUCKET else ""
S3_IMPORTS = env.words("CROSSWALK_S3_IMPORTS")
STORAGES = {
    "default": (
        {
            "BACKEND": "common.bucket_storage.BucketStorage",
            "OPTIONS": {"bucket_name": S3_BUCKET, "direct_origin": S3_DIRECT_ORIGIN},
        }
        if S3_BUCKET
        else {"BACKEND": "common.file_storage.FileStorage", "OPTIONS": {"location": MEDIA_ROOT}}
    ),
    # The scripts and styles of the pages are for everybody, also where another account serves them.
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage",
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# People ------------------------------------------------------------------------------------------------------

_CHECKS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_CHECKS}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    # The 20,000 passwords that breaches show most often.
    {"NAME": f"{_CHECKS}.CommonPasswordValidator"},
    {"NAME": f"{_CHECKS}.UserAttributeSimilarityValidator"},
]
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

# Where browsers report what the policy blocked (web/monitoring/policy_reports.py).
POLICY_REPORTS_PATH = "/policy-reports"
_FILES_ORIGIN = [S3_DIRECT_ORIGIN] if S3_DIRECT_ORIGIN else []
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [NONCE, STRICT_DYNAMIC],
        "style-src": [SELF],
        # Videos and their pictures may come from the bucket itself.
        "img-src": [SELF, "data:", "blob:", *_FILES_ORIGIN],
        "media-src": [SELF, "blob:", *_FILES_ORIGIN],
        "font-src": [SELF],
        "connect-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
        # Every browser reads it, also over HTTP. Beside `report-to` Chromium would ignore it, and send reports late.
        "report-uri": [POLICY_REPORTS_PATH],
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
# The life of a code of `manage.py sign_in_code`.
PASSWORD_RESET_TIMEOUT = 3600
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
    "DEFAULT_THROTTLE_CLASSES": ["web.api.throttles.CredentialThrottle"],
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
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": ["web.api.request_examples.describe"],
    "PATH_CONVERTER_OVERRIDES": {"number": {"type": "integer", "minimum": 0, "maximum": 9999}},
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# Background work ---------------------------------------------------------------------------------------------

CELERY_BROKER_URL = env.text("CELERY_BROKER_URL")
REDIS_URL = env.text("REDIS_URL")
# The Celery app that `jobs` sends its messages with.
JOB_QUEUE = "config.celery.app"

# The counters of attempts to sign in, and the codes that were used: shared by all processes, and kept over a restart. A
# full table drops what has expired and nothing else, so nobody can push a counter out by filling it.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "crosswalk_cache",
        "OPTIONS": {"MAX_ENTRIES": 1000, "CULL_FREQUENCY": 10**12},
    }
}

# Modules that act on the answers of tasks, in this order, in the transaction that settles a task
# (`annotation/consensus/signals.py`).
TASK_FOLLOWERS = ["routing.dispatch", "evaluation.tallies"]

# Logs --------------------------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request_id": {"()": "web.http.request_log.RequestIdFilter"}},
    "formatters": {"json": {"()": "lib.log_lines.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "filters": ["request_id"], "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django.request": {"level": "ERROR"},
        # The filesystem transport has no host, and kombu logs that at every start.
        "kombu.connection": {"level": "ERROR"},
        "httpx": {"level": "WARNING"},
    },
}

# prometheus_client itself reads the variable. Processes that share the folder are counted together.
METRICS_DIR = env.text("PROMETHEUS_MULTIPROC_DIR")

UNFOLD = {"SITE_TITLE": "Crosswalk", "SITE_HEADER": "Crosswalk", "SITE_URL": "/staff/"}
