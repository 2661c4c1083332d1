"""Commands that publish, deploy or delete things that lie outside the project."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ._names import names
from ._options import Arguments, texts
from .commands import Segment

_PUBLISHES: Final[dict[str, frozenset[str]]] = {
    name: frozenset(entry.replace("_", " ") for entry in entries.split())
    for name, entries in {
        "npm": "publish unpublish deprecate owner_rm",
        "pnpm": "publish unpublish",
        "yarn": "publish npm_publish",
        "bun": "publish",
        "lerna": "publish",
        "changeset": "publish",
        "semantic-release": "",
        "twine": "upload",
        "cargo": "publish yank",
        "gem": "push yank",
        "poetry": "publish",
        "uv": "publish",
        "hatch": "publish",
        "flit": "publish",
        "pdm": "publish",
        "rye": "publish",
        "maturin": "publish upload",
        "conda": "upload",
        "anaconda": "upload remove",
        "docker": "push image_push manifest_push compose_push trust_sign volume_rm volume_remove "
        "system_prune image_prune container_prune volume_prune network_prune builder_prune "
        "buildx_prune swarm_leave stack_rm service_rm secret_rm config_rm node_rm",
        "docker-compose": "push",
        "buildah": "push",
        "skopeo": "copy delete sync",
        "crane": "push delete copy",
        "oras": "push",
        "mvn": "deploy release:perform site-deploy",
        "gradle": "publish uploadArchives publishPlugins",
        "dotnet": "nuget_push nuget_delete",
        "nuget": "push delete",
        "helm": "push uninstall delete del un rollback",
        "vsce": "publish unpublish",
        "ovsx": "publish",
        "pod": "trunk_push trunk_delete",
        "mix": "hex.publish ecto.drop ecto.reset",
        "cabal": "upload",
        "stack": "upload",
        "luarocks": "upload",
        "dart": "pub_publish",
        "flutter": "pub_publish",
        "terraform": "apply destroy state_rm workspace_delete force-unlock taint",
        "tofu": "apply destroy state_rm workspace_delete force-unlock taint",
        "terragrunt": "apply destroy run-all apply-all destroy-all",
        "pulumi": "up update destroy stack_rm cancel",
        "cdk": "deploy destroy",
        "cdktf": "deploy destroy",
        "sls": "deploy remove",
        "serverless": "deploy remove",
        "kubectl": "delete drain",
        "oc": "delete drain",
        "heroku": "apps:destroy pg:reset ps:stop releases:rollback addons:destroy",
        "fly": "deploy destroy apps_destroy volumes_destroy",
        "flyctl": "deploy destroy apps_destroy volumes_destroy",
        "vercel": "deploy remove rm promote rollback",
        "netlify": "deploy sites:delete",
        "firebase": "deploy firestore:delete database:remove hosting:disable",
        "wrangler": "publish deploy delete",
        "gh": "repo_delete repo_archive release_create release_delete release_upload issue_delete "
        "secret_delete variable_delete gist_delete run_delete cache_delete label_delete "
        "codespace_delete ssh-key_delete project_delete",
        "glab": "repo_delete release_delete",
        "vagrant": "destroy",
        "minikube": "delete",
        "kind": "delete",
        "k3d": "cluster_delete",
        "eksctl": "delete_cluster delete_nodegroup",
        "gsutil": "rm rb",
        "rclone": "delete purge deletefile rmdir rmdirs sync move cleanup",
        "s3cmd": "rm del rb",
        "mc": "rm rb",
        "prisma": "migrate_reset",
        "supabase": "db_reset",
        "etcdctl": "del",
        "vault": "delete",
        "kafka-topics": "",
        "restic": "forget prune",
        "borg": "delete prune",
        "cpan-upload": "",
    }.items()
}
_PUBLISHES["podman"] = _PUBLISHES["nerdctl"] = _PUBLISHES["docker"]
_PUBLISHES["gradlew"] = _PUBLISHES["gradle"]
_PUBLISHES["mvnw"] = _PUBLISHES["mvn"]
_CLOUD_REMOVES: Final = re.compile(
    r"(?:batch-)?(?:delete|terminate|remove|deregister|purge|destroy|rm|rb|empty|reset|uninstall)(?:-.*)?"
)
_CLOUDS: Final = names("aws gcloud az doctl hcloud linode-cli oci ibmcloud aliyun scw exo civo")
_SHORT: Final = {
    "docker": "cHlfp",
    "podman": "cHlfp",
    "kubectl": "nf",
    "helm": "n",
    "docker-compose": "fp",
}
_VALUES: Final = names(
    "--context --namespace --file --project-name --profile --region --project --kube-context "
    "--kubeconfig --host --chdir --account --configuration --output --subscription --filter"
)


def leaves_project(program: str, segment: Segment) -> bool:
    """Return True when a program publishes, deploys, or deletes outside the project.

    Args:
        program: its name.
        segment: its segment.
    """
    if program in _CLOUDS:
        return _removes_in_cloud(program, segment)
    names = _PUBLISHES.get(program)
    if names is None:
        return program.startswith(("python", "pypy")) and _uploads(segment)
    found = Arguments(segment.words, _SHORT.get(program, ""), _VALUES)
    if _only_tries(found):
        return False
    operands = [word.text for word in found.operands]
    if not names or operands[:1] == [None]:
        return True
    given = {" ".join(filter(None, operands[start : start + 2])) for start in (0, 1)}
    given.update(text for text in operands[:1] if text is not None)
    if program in ("mvn", "mvnw", "gradle", "gradlew"):
        # Goals and tasks, any of which may be named; a task's project stands before it.
        given.update(text or "" for text in operands)
        given.update((text or "").rsplit(":", 1)[-1] for text in operands)
    if program in ("docker", "podman", "docker-compose", "nerdctl"):
        return bool(given & names) or _drops_volumes(program, operands, found)
    return bool(given & names) or (program == "gh" and _deletes_by_api(operands, segment))


def _only_tries(found: Arguments) -> bool:
    off = [word.text for word in found.values("", "--dry-run")]
    return found.has("", "--dry-run", "--help") and not {"none", "false"}.intersection(off)


def _drops_volumes(program: str, operands: Sequence[str | None], found: Arguments) -> bool:
    compose = program == "docker-compose" or "compose" in operands[:1]
    if compose and any(name in ("down", "rm") for name in operands[:2]):
        return found.has("v", "--volumes")
    if operands[:1] == ["rm"] or operands[:2] == ["container", "rm"]:
        return found.has("v", "--volumes")
    return found.has("", "--push") and "build" in operands[:2]


def _deletes_by_api(operands: Sequence[str | None], segment: Segment) -> bool:
    found = Arguments(segment.words, "XHfFqtR", ("--method", "--header", "--field", "--raw-field"))
    methods = [(word.text or "DELETE").upper() for word in found.values("X", "--method")]
    return operands[:1] == ["api"] and "DELETE" in methods


def _removes_in_cloud(program: str, segment: Segment) -> bool:
    found = Arguments(segment.words, "", _VALUES)
    if found.has("", "--dryrun", "--dry-run", "--help"):
        return False
    operands = [word.text or "" for word in found.operands]
    if program == "aws":
        if operands[:2] == ["s3", "sync"] and found.has("", "--delete"):
            return True
        operands = operands[:2]
    return any(_CLOUD_REMOVES.fullmatch(text) for text in operands[:6])


def _uploads(segment: Segment) -> bool:
    given = texts(segment.words)
    return "setup.py" in " ".join(given[:1]) and any(
        text in ("upload", "register") for text in given[1:]
    )
