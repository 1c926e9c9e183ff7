"""A Django project over the databases of the tests: its settings, its models, and what fills them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import databases
import django
import pytest
from django.conf import settings
from shop import ROWS as ROWS
from shop import RULES

import sqlthrottle

OTHER_DRIVERS = "SQLTHROTTLE_DJANGO_OTHER_DRIVERS"
"""Set where psycopg2 and PyMySQL are to serve, which Django takes only in the place of the others."""
ALIASES = ("default", "postgresql", "mysql")
FOLDER = tempfile.TemporaryDirectory(prefix="sqlthrottle-django-")

if os.environ.get(OTHER_DRIVERS):
    import pymysql

    pymysql.install_as_MySQLdb()
    sys.modules["psycopg"] = None  # type: ignore[assignment]


def _server(name: str, engine: str) -> dict[str, Any]:
    # Read late: the tests that need no server are to run without.
    user, _, rest = databases.server(name).partition("@")
    place, _, database = rest.partition("/")
    host, _, port = place.partition(":")
    return {"ENGINE": f"django.db.backends.{engine}", "USER": user, "HOST": host, "PORT": port, "NAME": database}


def _databases() -> dict[str, Any]:
    found: dict[str, Any] = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.path.join(FOLDER.name, "shop.db"),
            "OPTIONS": {"timeout": 30},
        }
    }
    for alias, name in (("postgresql", "postgresql"), ("mysql", "mariadb")):
        if os.environ.get(databases.VARIABLES[name]):
            found[alias] = _server(name, alias)
    return found


settings.configure(
    INSTALLED_APPS=[
        "sqlthrottle.django",
        "djangos",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
    ],
    DATABASES=_databases(),
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    SECRET_KEY="of the tests",
    ROOT_URLCONF="django_site",
    ALLOWED_HOSTS=["*"],
    USE_TZ=True,
    LOGGING_CONFIG=None,
    SQL_THROTTLE={"RULES": {}},
    MIDDLEWARE=["sqlthrottle.django.Middleware"],
    CACHES={
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
        "database": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cached"},
    },
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
)
django.setup()

from django.db import connections, models  # noqa: E402
from django.test.utils import override_settings  # noqa: E402


def _model(name: str, **fields: Any) -> Any:
    meta = type("Meta", (), {"app_label": "djangos", "db_table": name.lower()})
    fields.setdefault("name", models.CharField(max_length=40))
    return type(name, (models.Model,), {"__module__": __name__, "Meta": meta, **fields})


Refused = _model("Refused")
Ignored = _model("Ignored")
Delayed = _model("Delayed")
Waiting = _model("Waiting")
Single = _model("Single")
Weighed = _model("Weighed")
Plain = _model("Plain")
# Their tables are in the rule that ignores.
Detail = _model(
    "Ignored_Details", plain=models.ForeignKey(Plain, models.CASCADE, related_name="details", null=True, db_constraint=False)
)
Profile = _model(
    "Ignored_Profiles", plain=models.OneToOneField(Plain, models.CASCADE, related_name="profile", null=True, db_constraint=False)
)
Holder = _model("Holder", ignored=models.ForeignKey(Ignored, models.DO_NOTHING, null=True, db_constraint=False))
MODELS = (Refused, Ignored, Delayed, Waiting, Single, Weighed, Plain, Detail, Profile, Holder)
FILLED = MODELS[:7]


@contextmanager
def throttled(throttle: sqlthrottle.Throttle, **options: Any) -> Iterator[None]:
    with override_settings(SQL_THROTTLE={"THROTTLE": throttle, **options}):
        yield


def fill(alias: str) -> None:
    """Makes the tables anew, each with as many rows. Nothing of it is checked, or the fixtures would fail."""
    connection = connections[alias]
    with override_settings(SQL_THROTTLE={"RULES": {}}):
        there = set(connection.introspection.table_names())
        with connection.schema_editor() as editor:
            # Other tests leave tables of these names that refer to one another.
            for model in reversed(MODELS):
                if model._meta.db_table in there:
                    editor.delete_model(model)
            for model in MODELS:
                editor.create_model(model)
        for model in FILLED:
            model.objects.using(alias).bulk_create(model(name=f"item {i}") for i in range(ROWS))


@pytest.fixture
def throttle() -> Iterator[sqlthrottle.Throttle]:
    """Rules by table. However a test ends, no place is held."""
    with sqlthrottle.Throttle(RULES, refresh=False) as throttle:
        yield throttle
        connections.close_all()
        held = sum(rule["in_use"] for rule in throttle.snapshot()["rules"])
        assert held == 0, "a place is still held"


@pytest.fixture(params=ALIASES)
def alias(request: pytest.FixtureRequest, throttle: sqlthrottle.Throttle) -> Iterator[str]:
    """A database whose connections are guarded."""
    name = str(request.param)
    if name not in settings.DATABASES:
        databases.server({"mysql": "mariadb"}.get(name, name))
    fill(name)
    with throttled(throttle):
        yield name
        connections.close_all()
