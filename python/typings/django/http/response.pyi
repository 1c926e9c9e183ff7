from . import HttpResponseBase as HttpResponseBase
