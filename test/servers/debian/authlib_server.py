"""Authlib with Flask on a free port of this machine, written after its manual: prints the port, then serves.

Besides Authlib's own endpoints below /oauth/ it has two for tests: POST /test/issue makes a token, and POST /test/active
looks for one in the store, which is a list.
"""
import json
import os
import secrets
import sys
import time
from wsgiref.simple_server import WSGIRequestHandler, make_server

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from flask import Flask, jsonify, request

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
app = Flask(__name__)
tokens = []


class Client(ClientMixin):
    def __init__(self, client_id, secret):
        self.client_id, self.secret = client_id, secret

    def check_client_secret(self, secret):
        return secrets.compare_digest(self.secret, secret)

    def check_endpoint_auth_method(self, method, endpoint):
        return method in ("client_secret_basic", "client_secret_post")


class Token(TokenMixin):
    def __init__(self, client, lasts):
        self.client, self.ends = client, int(time.time()) + lasts
        self.access, self.refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(36)
        self.access_revoked = self.refresh_revoked = False

    def check_client(self, client):
        return self.client is client

    def is_expired(self):
        return time.time() > self.ends

    def is_revoked(self):
        return self.access_revoked


def query(value):
    return next((each for each in tokens if value in (each.access, each.refresh)), None)


class Introspection(IntrospectionEndpoint):
    def query_token(self, token, hint):
        return query(token)

    def check_permission(self, token, client, _):
        return token.check_client(client)

    def introspect_token(self, token):
        return {"active": True, "client_id": token.client.client_id, "token_type": "Bearer", "exp": token.ends}


class Revocation(RevocationEndpoint):
    def query_token(self, token, hint):
        return query(token)

    def revoke_token(self, token, _):
        token.access_revoked = token.refresh_revoked = True


clients = {each["id"]: Client(each["id"], each["secret"]) for each in json.loads(sys.argv[2])}
server = AuthorizationServer(app, query_client=clients.get)
server.register_endpoint(Introspection)
server.register_endpoint(Revocation)


@app.post("/oauth/<name>")
def endpoint(name):
    return server.create_endpoint_response({"introspect": "introspection", "revoke": "revocation"}[name])


@app.post("/test/issue")
def issue():
    token = Token(clients[request.json["client_id"]], -60 if request.json["kind"] in ("old", "expired") else 3600)
    tokens.append(token)
    return jsonify(token=token.refresh if request.json["kind"] in ("refresh", "old") else token.access)


@app.post("/test/active")
def active():
    token = query(request.json["token"])
    if token is None or token.refresh == request.json["token"]:
        return jsonify(active=token is not None and not token.refresh_revoked)
    return jsonify(active=not token.access_revoked and not token.is_expired())


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


with make_server("127.0.0.1", 0, app, handler_class=Quiet) as web:
    print(web.server_port, flush=True)
    web.serve_forever()
