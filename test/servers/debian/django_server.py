"""Django OAuth Toolkit on a free port of this machine: prints the port, then serves.

Besides the toolkit's own endpoints below /o/ it has two for tests: POST /test/issue makes a token with the toolkit's
models, and POST /test/active looks for one in its tables.
"""
import datetime
import json
import secrets
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings

folder = sys.argv[1]
settings.configure(
    DEBUG=False,
    SECRET_KEY=secrets.token_hex(),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/django.db"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    OAUTH2_PROVIDER={"SCOPES": {"reports": "Reports", "introspection": "Introspection"}},
    LOGGING_CONFIG=None,
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.utils import timezone  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402
from oauth2_provider.models import AccessToken, Application, RefreshToken  # noqa: E402


@csrf_exempt
def issue(request):
    asked = json.loads(request.body)
    application = Application.objects.get(client_id=asked["client_id"])
    user = User.objects.get()
    access = AccessToken.objects.create(
        user=user,
        application=application,
        token=secrets.token_urlsafe(30),
        scope="reports",
        expires=timezone.now() + datetime.timedelta(hours=-1 if asked["kind"] in ("old", "expired") else 1),
    )
    if asked["kind"] in ("access", "expired"):
        return JsonResponse({"token": access.token})
    refresh = RefreshToken.objects.create(
        user=user, application=application, token=secrets.token_urlsafe(30), access_token=access
    )
    return JsonResponse({"token": refresh.token})


@csrf_exempt
def active(request):
    token = json.loads(request.body)["token"]
    access = AccessToken.objects.filter(token=token, expires__gt=timezone.now())
    refresh = RefreshToken.objects.filter(token=token, revoked=None)
    return JsonResponse({"active": access.exists() or refresh.exists()})


urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("test/issue", issue),
    path("test/active", active),
]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


call_command("migrate", verbosity=0)
owner = User.objects.create_user("octavia")
for each in json.loads(sys.argv[2]):
    Application.objects.create(
        user=owner,
        name=each["id"],
        client_id=each["id"],
        client_secret=each["secret"],
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris="https://app.example.com/callback",
    )
with make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet) as server:
    print(server.server_port, flush=True)
    server.serve_forever()
