"""Programs that fetch or publish: which of their subcommands need a network."""

from __future__ import annotations

from typing import Final, NamedTuple

from ._names import names

_PIP: Final = "install download wheel search index"
_APT: Final = (
    "update install upgrade full-upgrade dist-upgrade source download build-dep changelog "
    "reinstall satisfy"
)
_YUM: Final = (
    "install update upgrade search makecache check-update download repoquery distro-sync "
    "groupinstall reinstall localinstall downgrade info builddep provides"
)
_CONDA: Final = "install create update upgrade search"


class Manager(NamedTuple):
    """A program with subcommands, some of which connect.

    Args:
        connects: the first words, or first two words with a blank between, that connect.
        bare: tells that it connects without a subcommand.
        local: tells that ``connects`` lists those that do not, and all others do.
        short: one-letter options that take a value.
        offline: options that keep it from connecting.
        online: options that make it connect, whatever the subcommand.
    """

    connects: frozenset[str]
    bare: bool = False
    local: bool = False
    short: str = ""
    offline: tuple[str, ...] = ()
    online: tuple[str, ...] = ()


def _m(
    text: str,
    *,
    bare: bool = False,
    local: bool = False,
    short: str = "",
    offline: str = "",
    online: str = "",
) -> Manager:
    names = frozenset(name.replace("_", " ") for name in text.split())
    return Manager(names, bare, local, short, tuple(offline.split()), tuple(online.split()))


def _always() -> Manager:
    return _m("", bare=True, local=True)


_NPM: Final = (
    "install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic "
    "install-clean install-test it install-ci-test cit update up upgrade udpate outdated audit "
    "publish unpublish deprecate undeprecate view v info show search s se find login logout "
    "adduser whoami ping access owner author team org dist-tag dist-tags star unstar stars token "
    "profile hook exec x create init_ dedupe ddp fund diff sbom doctor trust"
).replace("init_ ", "")

MANAGERS: Final[dict[str, Manager]] = {
    **dict.fromkeys(("pip", "pip3", "pip2"), _m(_PIP, offline="--no-index", online="--outdated")),
    "pipx": _m("install inject upgrade upgrade-all run reinstall reinstall-all runpip"),
    "uv": _m(
        "add remove sync lock publish pip_install pip_sync pip_compile tool_install tool_run "
        "tool_upgrade python_install python_upgrade self_update",
        offline="--offline",
        online="--with --with-requirements --with-editable",
    ),
    "uvx": _m("", bare=True, local=True, offline="--offline"),
    "poetry": _m(
        "install add remove update lock publish search self_update sync",
        online="--latest --outdated",
    ),
    "pdm": _m("install add update lock publish search sync outdated self_update"),
    "pipenv": _m("install update lock sync upgrade"),
    "hatch": _m("publish env_create python_install"),
    "flit": _m("publish install"),
    "rye": _m("sync add lock publish install fetch self_update"),
    "twine": _m("upload register"),
    "easy_install": _always(),
    "conda": _m(f"{_CONDA} env_create env_update", offline="--offline"),
    "mamba": _m(f"{_CONDA} env_create env_update", offline="--offline"),
    "micromamba": _m(f"{_CONDA} self-update", offline="--offline"),
    "pixi": _m("install add update upgrade search global_install init_"),
    "npm": _m(_NPM, offline="--offline", short="wC"),
    **dict.fromkeys(
        ("npx", "bunx", "pnpx"),
        _m("", bare=True, local=True, offline="--no-install --offline --no"),
    ),
    "pnpm": _m(
        f"{_NPM} dlx fetch import env_use self-update licenses", offline="--offline", short="CF"
    ),
    "yarn": _m(
        "install add up upgrade upgrade-interactive outdated audit publish dlx create info npm "
        "global_add global_upgrade login import set_version tag owner team policies",
        bare=True,
        offline="--offline",
    ),
    "bun": _m(
        "install i add a update x create c upgrade publish outdated audit info", offline="--offline"
    ),
    "deno": _m("install add cache upgrade publish outdated"),
    "cargo": _m(
        "install add update fetch publish search login yank owner generate-lockfile vendor audit "
        "outdated binstall info",
        offline="--offline --frozen",
        short="ZC",
    ),
    "go": _m(
        "get install mod_download mod_tidy mod_vendor mod_verify mod_why work_sync", short="C"
    ),
    "gem": _m(
        "install update fetch push search outdated yank owner signin",
        offline="--local",
        online="--remote",
    ),
    "bundle": _m(
        "install update add outdated lock cache package",
        bare=True,
        offline="--local --prefer-local",
    ),
    "bundler": _m("install update add outdated lock cache package", bare=True, offline="--local"),
    "composer": _m(
        "install i update u upgrade require r search outdated audit create-project self-update "
        "global_require remove diagnose reinstall"
    ),
    "mvn": _m(
        "deploy site-deploy dependency:get dependency:resolve dependency:go-offline "
        "dependency:resolve-plugins dependency:copy-dependencies "
        "versions:display-dependency-updates"
        "release:perform release:prepare",
        offline="--offline",
    ),
    "gradle": _m(
        "publish publishToMavenCentral uploadArchives",
        offline="--offline",
        online="--refresh-dependencies",
    ),
    "dotnet": _m(
        "restore add_package nuget_push tool_install tool_update tool_restore "
        "workload_install workload_update new_install"
    ),
    "nuget": _m("install restore push update list search"),
    "swift": _m("package_update package_resolve"),
    "pod": _m("install update repo_update trunk_push outdated search setup"),
    "carthage": _m("update bootstrap checkout"),
    "mix": _m(
        "deps.get deps.update hex.publish local.hex hex.info archive.install hex.outdated "
        "local.rebar"
    ),
    "stack": _m("update setup install upload"),
    "cabal": _m("update install upload fetch get"),
    "opam": _m("install update upgrade init reinstall"),
    "luarocks": _m("install upload search download"),
    "cpan": _always(),
    "cpanm": _always(),
    "dart": _m("pub_get pub_add pub_upgrade pub_publish pub_global"),
    "flutter": _m("pub_get pub_add pub_upgrade pub_publish upgrade"),
    "brew": _m(
        "install upgrade update tap fetch search reinstall outdated bundle cask_install bump "
        "livecheck"
    ),
    "apt": _m(_APT, offline="--no-download", short="ocqt"),
    "apt-get": _m(_APT, offline="--no-download", short="ocqt"),
    "aptitude": _m(_APT, short="ocqt"),
    "apt-file": _m("update"),
    "add-apt-repository": _always(),
    **dict.fromkeys(("yum", "dnf", "microdnf", "tdnf"), _m(_YUM, offline="--cacheonly")),
    "zypper": _m(
        "install in update up refresh ref dist-upgrade dup search se patch source-install si"
    ),
    "apk": _m("add update upgrade fetch search", offline="--no-network"),
    "emerge": _always(),
    "snap": _m("install refresh find download info login"),
    "flatpak": _m("install update search remote-add remote-ls"),
    "port": _m("install selfupdate sync upgrade fetch"),
    "choco": _m("install upgrade search push outdated"),
    "winget": _m("install upgrade search"),
    "scoop": _m("install update"),
    "nix": _m(
        "run shell build develop flake_update profile_install search copy", offline="--offline"
    ),
    "nix-channel": _m("", online="--update --add"),
    "asdf": _m("install plugin_add plugin-add plugin_update latest update"),
    "mise": _m("install i use upgrade up ls-remote self-update latest outdated"),
    "nvm": _m("install ls-remote reinstall-packages"),
    "fnm": _m("install list-remote"),
    "pyenv": _m("install update"),
    "rbenv": _m("install"),
    "rustup": _m("update install check toolchain_install target_add component_add self_update"),
    "sdk": _m("install update upgrade selfupdate list"),
    "volta": _m("install fetch"),
    "terraform": _m("fmt validate version console show output graph", local=True),
    "tofu": _m("fmt validate version console show output graph", local=True),
    "terragrunt": _m("hclfmt validate version", local=True),
    "pulumi": _m("version", local=True),
    "kubectl": _m("config kustomize completion", local=True, short="n"),
    "oc": _m("config kustomize completion", local=True, short="n"),
    "helm": _m(
        "template lint version create package env completion show_chart", local=True, short="n"
    ),
    "gh": _m("version config completion alias help extension_list", local=True),
    "glab": _m("version config completion help", local=True),
    "aws": _m("configure help", local=True),
    "gcloud": _m("config version help info", local=True),
    "az": _m("configure version config", local=True),
    "docker": _m(
        "pull push login logout search build run create buildx_build buildx_bake compose_pull "
        "compose_build compose_up compose_push compose_run compose_create image_pull image_push "
        "image_build container_run container_create manifest_inspect manifest_push plugin_install "
        "trust_sign scout swarm_join stack_deploy service_create",
        short="cHlfp",
        online="--host",
    ),
    "pre-commit": _m("autoupdate install-hooks try-repo"),
    "trivy": _always(),
    "vagrant": _m("up box_add box_update plugin_install cloud login"),
    "packer": _m("init build"),
    "ollama": _m("pull push run"),
    "hf": _m("download upload repo auth"),
    "huggingface-cli": _m("download upload login repo"),
    "playwright": _m("install install-deps"),
    "cypress": _m("install"),
    "svn": _m(
        "checkout co update up commit ci export list ls log import switch sw merge copy cp info_"
    ),
    "hg": _m("pull push clone incoming in outgoing out identify_ fetch"),
    "bzr": _m("branch pull push checkout update"),
    "fossil": _m("clone sync pull push"),
    "code": _m("", online="--install-extension"),
    "corepack": _m("prepare install use up"),
    "act": _always(),
}
MANAGERS["podman"] = MANAGERS["nerdctl"] = MANAGERS["docker"]
MANAGERS["docker-compose"] = _m("pull build up push run create", short="fp", online="--host")

ALWAYS: Final = names("""
    dig nslookup host drill whois kdig delv nmap masscan arp-scan arping nping hping3 zmap
    mosh autossh sshfs sshpass ssh-copy-id ssh-keyscan smbclient mount.cifs mount.nfs ldapsearch
    snmpwalk snmpget rexec finger aria2c axel httrack lynx w3m links elinks youtube-dl yt-dlp
    mail mailx sendmail msmtp swaks mutt ntpdate sntp rdate openvpn wg-quick tailscale ngrok
    cloudflared lt localtunnel frpc transmission-cli rtorrent gsutil bq hub heroku vercel netlify
    fly flyctl firebase wrangler doctl linode-cli oci ibmcloud hcloud s3cmd s5cmd rclone mc restic
    azcopy ansible ansible-playbook ansible-galaxy skopeo crane oras regctl grpcurl websocat wscat
    evans nc6 gemini k6 locust cdk sls serverless eksctl kops k9s stern kubectx flux argocd vault
    wandb kaggle modal huggingface websocketd nikto sqlmap gobuster ffuf wpscan hydra telnet-ssl
    ftp-ssl rsync-ssl uftp slackcat gpg-connect get-pip rustup-init apt-key ghq gitk_ nix-shell
    nix-env skaffold tilt
    """)
"""Programs that connect to other machines whatever they are given."""
