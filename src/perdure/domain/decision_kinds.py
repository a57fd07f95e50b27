"""What a message may do to what is remembered."""

from __future__ import annotations

from typing import Literal

DecisionKind = Literal["create", "update", "delete", "consolidate", "none"]
