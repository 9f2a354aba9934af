from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import profile

from sessfzf.agents.codex.words import approval_name, kind_of, request, sandbox_name

USUAL = settings(deadline=None)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "file_system",
                    "entries",
                    "access",
                    "path",
                    "value",
                    "kind",
                    "subagent",
                    "x",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
DEEP = "[" * 100_000


# kind_of


@pytest.mark.parametrize(
    ("source", "thread_source", "kind"),
    [
        pytest.param("cli", "", "", id="cli"),
        pytest.param("vscode", "user", "", id="editor"),
        pytest.param("exec", "", "print", id="exec"),
        pytest.param("exec", "user", "print", id="exec-by-a-user"),
        pytest.param({"subagent": "review"}, "", "nested", id="sub-agent"),
        pytest.param({"subagent": {"thread_spawn": {}}}, "", "nested", id="spawned"),
        pytest.param({"internal": "x"}, "", "nested", id="internal"),
        pytest.param('{"subagent":"review"}', "", "nested", id="sub-agent-as-text"),
        pytest.param('{"internal":{}}', "", "nested", id="internal-as-text"),
        pytest.param("cli", "subagent", "nested", id="thread-of-a-sub-agent"),
        pytest.param("exec", "memory_consolidation", "nested", id="memory"),
        pytest.param({"custom": "x"}, "", "", id="another-object"),
        pytest.param('{"custom":"x"}', "", "", id="another-object-as-text"),
        pytest.param('{"subagent"', "", "", id="cut-text"),
        pytest.param('{"a":' + DEEP, "", "", id="deep-text"),
        pytest.param("", "", "", id="empty"),
        pytest.param(None, "", "", id="null"),
        pytest.param(5, "", "", id="number"),
        pytest.param(["subagent"], "", "", id="list"),
        pytest.param("subagent", "", "", id="text"),
    ],
)
def test_kind_of(source: object, thread_source: str, kind: str) -> None:
    assert kind_of(source, thread_source) == kind


# approval_name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("on-request", "on-request"),
        ("never", "never"),
        ("untrusted", "untrusted"),
        ("on-failure", "on-failure"),
        ({"granular": {"rules": True}}, "granular"),
        ('{"granular":{"rules":true}}', "granular"),
        ("{", "granular"),
        ("ne\x1b[31mver\n", "never"),
        ("", ""),
        (None, ""),
        ({}, ""),
        (5, "granular"),
        (["never"], "granular"),
        (True, "granular"),
    ],
    ids=repr,
)
def test_approval_name(value: object, name: str) -> None:
    assert approval_name(value) == name


# sandbox_name


def managed(*entries: Any) -> dict[str, Any]:
    return {"type": "managed", "file_system": {"type": "restricted", "entries": [*entries]}}


def entry(kind: str, access: Any) -> dict[str, Any]:
    return {"path": {"type": "special", "value": {"kind": kind}}, "access": access}


READ_ROOT, WRITE_ROOT = entry("root", "read"), entry("root", "write")
WRITE_HERE = entry("project_roots", "write")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        pytest.param("read-only", "read-only", id="text"),
        pytest.param("workspace-write", "workspace-write", id="text-2"),
        pytest.param({"type": "read-only"}, "read-only", id="object"),
        pytest.param({"type": "workspace-write", "x": 1}, "workspace-write", id="object-2"),
        pytest.param({"type": "danger-full-access"}, "danger-full-access", id="object-3"),
        pytest.param('{"type":"read-only"}', "read-only", id="object-as-text"),
        pytest.param({"type": "external-sandbox"}, "external-sandbox", id="another-type"),
        pytest.param({"type": "disabled"}, "danger-full-access", id="disabled"),
        pytest.param('{"type":"disabled"}', "danger-full-access", id="disabled-as-text"),
        pytest.param(managed(READ_ROOT), "read-only", id="profile-reads"),
        pytest.param(managed(READ_ROOT, WRITE_HERE), "workspace-write", id="profile-writes-here"),
        pytest.param(managed(WRITE_ROOT), "danger-full-access", id="profile-writes-root"),
        pytest.param(
            managed(WRITE_HERE, WRITE_ROOT), "danger-full-access", id="profile-writes-all"
        ),
        pytest.param(managed(entry("root", "deny")), "read-only", id="profile-denies"),
        pytest.param(managed(entry("root", "none")), "read-only", id="profile-none"),
        pytest.param(managed(), "read-only", id="profile-empty"),
        # An access that is not understood is taken for the loosest.
        pytest.param(managed(entry("root", "execute")), "danger-full-access", id="new-access"),
        pytest.param(managed(entry("root", None)), "danger-full-access", id="null-access"),
        pytest.param(managed(entry("root", [])), "danger-full-access", id="list-access"),
        pytest.param(managed(entry("root", {})), "danger-full-access", id="object-access"),
        pytest.param(managed(entry("x", ["read"])), "workspace-write", id="list-access-elsewhere"),
        pytest.param(managed(5, None, []), "workspace-write", id="entries-that-are-none"),
        pytest.param({"type": "managed"}, "", id="no-file-system"),
        pytest.param({"type": "managed", "file_system": {"type": "full"}}, "", id="not-restricted"),
        pytest.param(
            {"type": "managed", "file_system": {"type": "restricted", "entries": {}}},
            "",
            id="entries-no-list",
        ),
        pytest.param('{"type":', "", id="cut-text"),
        pytest.param('{"type":' + DEEP, "", id="deep-text"),
        pytest.param('{"a":1}', "", id="no-type"),
        pytest.param({"type": 5}, "", id="type-number"),
        pytest.param({"type": ["disabled"]}, "", id="type-list"),
        pytest.param(None, "", id="null"),
        pytest.param(5, "", id="number"),
        pytest.param(["read-only"], "", id="list"),
        pytest.param("", "", id="empty"),
    ],
)
def test_sandbox_name(value: object, name: str) -> None:
    assert sandbox_name(value) == name
    if isinstance(value, dict):
        assert sandbox_name(json.dumps(value)) == name, "as the SQLite index has it"


@pytest.mark.parametrize("name", ["read-only", "workspace-write", "danger-full-access"])
def test_profiles_as_the_client_writes_them(name: str) -> None:
    assert sandbox_name(profile(name)) == name
    assert sandbox_name(json.loads(profile(name))) == name


# request


@pytest.mark.parametrize(
    ("text", "made"),
    [
        pytest.param("fix it", "fix it", id="plain"),
        pytest.param(
            "# Context\nfiles\n\n## My request for Codex:\nfix it\n", "fix it", id="marked"
        ),
        pytest.param("## My request for Codex:\n", "## My request for Codex:", id="marker-alone"),
        pytest.param(
            "x ## My request for Codex: \n ", "x ## My request for Codex:", id="nothing-after"
        ),
        pytest.param(
            "## My request for Codex: say ## My request for Codex: twice",
            "say ## My request for Codex: twice",
            id="twice",
        ),
        pytest.param("fix\x1b]0;x\x07 it\n\tnow\ud800", "fix it now\ufffd", id="hostile"),
        pytest.param("", "", id="empty"),
    ],
)
def test_request(text: str, made: str) -> None:
    assert request(text) == made


# Every wrong type


@USUAL
@given(ANY, st.text(max_size=5))
def test_no_value_of_any_type_is_an_error(value: object, text: str) -> None:
    assert kind_of(value, text) in {"", "print", "nested"}
    assert isinstance(approval_name(value), str)
    assert isinstance(sandbox_name(value), str)
    policy = {"type": "managed", "file_system": {"type": "restricted", "entries": [value]}}
    assert sandbox_name(policy) in {"read-only", "workspace-write", "danger-full-access"}
    assert sandbox_name(managed({"path": value, "access": value}, WRITE_HERE)) != "read-only"
    assert isinstance(request(text), str)
