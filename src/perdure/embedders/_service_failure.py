"""What a failed request to an embedding service means for the caller."""

from __future__ import annotations

from json import JSONDecodeError

from perdure.errors import EmbedderRejected, EmbedderUnavailable
from perdure.remote import failures
from perdure.remote.failures import ServiceFailure

_REMEDIES = {413: "lower batch_size or batch_tokens"}


def error_of(
    failure: ServiceFailure, service: str, *, attempts: int
) -> EmbedderUnavailable | EmbedderRejected:
    """The error for the caller, naming the service."""
    told = failure.told(service, attempts=attempts)
    return EmbedderUnavailable(told) if failure.is_passing else EmbedderRejected(told)


def malformed(what: str) -> ServiceFailure:
    """A successful answer that is no list of vectors, such as a proxy's page: may pass."""
    return ServiceFailure(what=f"sent no embeddings: {what}", is_passing=True)


def failure_of(error: Exception) -> ServiceFailure | None:
    """What an error of the SDK or of waiting means; None for anything else."""
    import openai

    failure = failures.failure_of(error, openai, remedies=_REMEDIES)
    if failure is None and isinstance(
        error, openai.OpenAIError | JSONDecodeError | UnicodeDecodeError
    ):
        return malformed(type(error).__name__)
    return failure
