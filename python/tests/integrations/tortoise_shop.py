"""The tables of the tests as models of Tortoise."""

from __future__ import annotations

from tortoise import Model, fields


class Item(Model):
    id = fields.IntField(primary_key=True)
    name = fields.CharField(max_length=40)

    class Meta:
        abstract = True


class Refused(Item):
    class Meta:
        table = "refused"


class Ignored(Item):
    class Meta:
        table = "ignored"


class Delayed(Item):
    class Meta:
        table = "delayed"


class Waiting(Item):
    class Meta:
        table = "waiting"


class Single(Item):
    class Meta:
        table = "single"


class Weighed(Item):
    class Meta:
        table = "weighed"


class Plain(Item):
    details: fields.ReverseRelation[Detail]
    labels: fields.ManyToManyRelation[Single] = fields.ManyToManyField("models.Single", through="ignored_labels")

    class Meta:
        table = "plain"


class Detail(Model):
    id = fields.IntField(primary_key=True)
    plain: fields.ForeignKeyRelation[Plain] = fields.ForeignKeyField("models.Plain", related_name="details")

    class Meta:
        table = "ignored_details"
