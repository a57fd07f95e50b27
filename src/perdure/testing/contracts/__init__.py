"""Contract suites: subclass one, give it the fixture it asks for, and pytest does the rest."""

import pytest

pytest.register_assert_rewrite(
    "perdure.testing.contracts.archive",
    "perdure.testing.contracts.language_model",
    "perdure.testing.contracts.store",
    "perdure.testing.contracts._store_archived",
    "perdure.testing.contracts._store_emptying",
    "perdure.testing.contracts._store_erasing",
    "perdure.testing.contracts._store_journal",
    "perdure.testing.contracts._store_reading",
    "perdure.testing.contracts._store_searching",
    "perdure.testing.contracts._store_stand",
    "perdure.testing.contracts._store_upkeep",
    "perdure.testing.contracts._store_writing",
    "perdure.testing.contracts.congruence",
)
