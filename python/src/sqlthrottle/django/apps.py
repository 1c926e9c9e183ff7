"""The app, as ``INSTALLED_APPS`` names it."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks
from django.core.signals import setting_changed
from django.db import connections
from django.db.backends.signals import connection_created

from . import _exemption, _install, _queryset, _state
from ._settings import NAME, check_settings

__all__ = ["SqlThrottleConfig"]


class SqlThrottleConfig(AppConfig):
    """Guards the connections of a project."""

    name = "sqlthrottle.django"
    label = "sqlthrottle"
    verbose_name = "SQL throttle"

    def ready(self) -> None:
        checks.register(check_settings)
        _exemption.put_in()
        _queryset.put_in()
        _install.put_in()
        connection_created.connect(_install.on_connection, dispatch_uid="sqlthrottle")
        setting_changed.connect(_on_setting, dispatch_uid="sqlthrottle")
        for connection in connections.all(initialized_only=True):
            # An app that came before may have connected already.
            if connection.connection is not None:
                _install.on_connection(connection)


def _on_setting(setting: str, **_: object) -> None:
    """Tests override settings."""
    if setting in (NAME, "DATABASES"):
        _state.forget()
