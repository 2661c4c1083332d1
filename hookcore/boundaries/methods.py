"""The manager's methods that run whole boundaries, so that hosts get the sequence right."""

from __future__ import annotations

from .methods_message import MessageMethods
from .methods_model import ModelMethods
from .methods_run import RunMethods
from .methods_tool import ToolMethods
from .methods_wrap import WrapMethods

__all__ = ["Boundaries"]


class Boundaries(WrapMethods, ToolMethods, ModelMethods, RunMethods, MessageMethods):
    """Operations with a beginning and an end, and the wrap points around them."""
