#!/usr/bin/env bash
# Written by olmgraph. Of the cluster it has only names that Kubernetes allows, UIDs, numbers, and patches in JSON.
set -euo pipefail

usage() {
  cat <<'END'
usage: bash SCRIPT [--run] [--yes | --yes-to-all] [--unidentified]

Without --run nothing is changed: each step is shown, and the API server tries what it patches and deletes (dry run).
Steps have the numbers of the answer. An object that is not as in the snapshot any more stops the script.

  --run            run the steps: each one asks first, and its checks follow
  --yes            do not ask before a step that can be undone
  --yes-to-all     do not ask at all, also without a terminal
  --unidentified   continue although the snapshot does not say which cluster it is of

exit status: 0 all steps are done, or none has a problem; 1 it stopped, or a step has a problem; 2 misuse; 130 interrupted
END
}

mode=try doing=try yes='' unidentified='' at='' problems=0 skipped=0 changed=' '
for argument; do
  case $argument in
    --run) mode=run ;;
    --yes) yes=some ;;
    --yes-to-all) yes=all ;;
    --unidentified) unidentified=yes ;;
    -h | --help) usage; exit ;;
    *) usage >&2; exit 2 ;;
  esac
done

stop() {
  printf '\nstopped%s: %s\n' "${at:+ in step $at}" "$*" >&2
  exit 1
}
trap 'printf "\ninterrupted%s; what it had begun may go on in the cluster\n" "${at:+ in step $at}" >&2; exit 130' INT TERM

# problem stops a step that runs; a dry run goes on.
problem() {
  [ "$doing" = try ] || stop "$*"
  printf '     problem: %s\n' "$*"
  problems=$((problems + 1))
}

# later says in a dry run, which is also before each question, that something is not tried.
later() {
  [ "$doing" = run ] && return 1
  [ "$#" -eq 0 ] || printf '     not tried: %s\n' "$*"
}

# accepted says in a dry run that a change would be made.
accepted() {
  [ "$doing" = run ] && return 1
  printf '     the API server accepts it (dry run)\n'
}

# show prints a command.
show() {
  local purpose="$1:"
  shift
  [ "$doing" != run ] || purpose='>'
  printf '  %s %s\n' "$purpose" "$*"
}

# in_namespace runs kubectl in a namespace; '' for an object outside of namespaces.
in_namespace() {
  local namespace=$1
  shift
  if [ -n "$namespace" ]; then kubectl -n "$namespace" "$@"; else kubectl "$@"; fi
}

identify() {
  local live
  if [ -n "$kube_system" ]; then
    live=$(kubectl get namespace kube-system -o 'jsonpath={.metadata.uid}') || stop 'kubectl cannot read the cluster'
    [ "$live" = "$kube_system" ] || stop 'this is not the cluster of the snapshot: the namespace kube-system has another UID'
  fi
  if [ -n "$cluster_id" ]; then
    live=$(kubectl get clusterversions.config.openshift.io version -o 'jsonpath={.spec.clusterID}') || stop 'kubectl cannot read the ClusterVersion'
    [ "$live" = "$cluster_id" ] || stop 'this is not the cluster of the snapshot: the ClusterVersion has another clusterID'
  fi
  [ -n "$kube_system$cluster_id$unidentified" ] ||
    stop 'the snapshot has neither the namespace kube-system nor a ClusterVersion, so that it cannot be compared with this cluster. Take one with the commands of olmgraph help cluster; or, if you are sure that it is this cluster, add --unidentified'
}

# compare compares an object with that of the snapshot, and sets version to its resourceVersion. The generation says whether the spec is the same:
# the resourceVersion itself changes with each status, for example of a Subscription whenever its catalog is polled. A change of this script counts.
compare() { # NAMESPACE RESOURCE NAME UID GENERATION [FIELDS VALUES]
  local key="$1/$2/$3" live expected=$5
  case $changed in
    *" $key="*)
      [ "$mode" = run ] || { later 'an earlier step changes the object' && return 1; }
      expected=${changed##*" $key="}
      expected=${expected%% *}
      ;;
  esac
  live=$(in_namespace "$1" get "$2/$3" -o "jsonpath={.metadata.resourceVersion} {.metadata.uid} {.metadata.generation}${6-}") || {
    problem 'the object cannot be read'
    return 1
  }
  version=${live%% *}
  [ "${live#* }" = "$4 $expected${7-}" ] && [ -z "${version//[0-9]/}" ] && return
  problem "$2/$3 is not as in the snapshot: take a new snapshot, and ask olmgraph again"
  return 1
}

# once_more says whether to compare an object again and to change it then: OLM may have written its status since it was compared.
once_more() {
  tries=$((tries + 1))
  [ "$tries" -lt 3 ] && sleep 1
}

patch() { # NAMESPACE RESOURCE NAME SUBRESOURCE PATCH [UID GENERATION FIELDS VALUES]
  local try='' version='' generation='' tries=0
  show run kubectl ${1:+-n "$1"} patch "$2/$3" ${4:+--subresource "$4"} --type merge --patch "'$5'"
  [ "$doing" = run ] || try=--dry-run=server
  until [ -z "${6-}" ] || compare "$1" "$2" "$3" "$6" "$7" "$8" "$9" || return 0
    generation=$(in_namespace "$1" patch "$2/$3" ${try:+"$try"} ${4:+--subresource "$4"} --type merge --patch "${5/RESOURCE_VERSION/$version}" -o 'jsonpath={.metadata.generation}'); do
    once_more || { problem 'the API server refuses the patch' && return 0; }
  done
  [ "$mode" != "$doing" ] || changed="$changed$1/$2/$3=$generation "
  accepted || true
}

delete() { # NAMESPACE RESOURCE NAME PATH UID GENERATION FIELDS VALUES
  local try='' version='' tries=0
  show run kubectl -n "$1" delete "$2/$3"
  [ "$doing" = run ] || try='"dryRun":["All"],'
  until compare "$1" "$2" "$3" "$5" "$6" "$7" "$8" || return 0
    printf '{"apiVersion":"v1","kind":"DeleteOptions",%s"preconditions":{"uid":"%s","resourceVersion":"%s"}}' "$try" "$5" "$version" |
      kubectl delete --raw "$4" -f - >/dev/null; do
    once_more || { problem 'the API server refuses the deletion' && return 0; }
  done
  accepted && return
  while [ "$(in_namespace "$1" get "$2/$3" --ignore-not-found -o 'jsonpath={.metadata.uid}')" = "$5" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || stop 'it is still there after 5 minutes: a finalizer keeps it'
    sleep 5
  done
}

keep() { # FILE COMMAND...
  local file=$1
  shift
  show keep "$* > $file"
  if [ -e "$file" ]; then problem "the file $file exists already: move it away"; fi
  later && return
  "$@" >"$file.part" || stop 'it cannot be read'
  mv "$file.part" "$file"
}

look() {
  show look "$*"
  later || "$@" || true
}

run() {
  show run "$*"
  later 'there is no dry run of this command' && return
  "$@" || stop 'the command failed'
}

check() { # SECONDS COMMAND...
  local seconds=$1
  shift
  show check "$*"
  later && return
  wait_for "$seconds" "$@"
  [ -z "$said" ] || printf '%s\n' "$said"
}

# wait_for runs a command until it succeeds: what it asks for may not exist yet. said is what the command printed.
wait_for() { # SECONDS COMMAND...
  local seconds=$1 end=$((SECONDS + $1)) tries=0
  shift
  until said=$("$@" 2>&1); do
    tries=$((tries + 1))
    if [ "$SECONDS" -ge "$end" ] || [ "$tries" -ge "$((seconds / 5))" ]; then
      printf '%s\n' "$said"
      [ "$yes" != all ] && ask 'it is not so yet. Wait again?' && end=$((SECONDS + seconds)) tries=0 && continue
      stop 'the check failed. What was done before is done: look at the cluster, take a new snapshot, and ask olmgraph again'
    fi
    sleep 5
  done
}

# The checks that kubectl has no command for.
update_available() { # MINOR
  kubectl get clusterversions.config.openshift.io version -o 'jsonpath={range .status.availableUpdates[*]}{.version}{"\n"}{end}' | grep -F "$1." || {
    echo "no update to OpenShift $1 is available: oc adm upgrade says why"
    return 1
  }
}

update_complete() { # MINOR
  local live
  live=$(kubectl get clusterversions.config.openshift.io version -o 'jsonpath={.status.history[0].state} {.status.history[0].version}')
  printf '%s\n' "$live"
  [ "${live#"Completed $1."}" != "$live" ]
}

install_plan() { # NAMESPACE CSVS: prints name, UID and resourceVersion of the InstallPlan of these ClusterServiceVersions that waits for approval
  local name uid resource_version names
  kubectl -n "$1" get installplans.operators.coreos.com -o go-template='{{range .items}}{{if not .spec.approved}}{{.metadata.name}} {{.metadata.uid}} {{.metadata.resourceVersion}}{{range .spec.clusterServiceVersionNames}} {{.}}{{end}}{{"\n"}}{{end}}{{end}}' |
    while read -r name uid resource_version names; do
      [ "$(tr ' ' '\n' <<<"$names" | sort | tr '\n' ' ')" = "$2 " ] && echo "$name $uid $resource_version" && exit 9
    done
  [ "${PIPESTATUS[1]}" -eq 9 ] || { echo 'OLM has created no InstallPlan of just these ClusterServiceVersions'; return 1; }
}

# approve_new approves the InstallPlan that OLM creates, which the snapshot cannot have.
approve_new() { # NAMESPACE CSV...
  local namespace=$1 name uid version tries=0
  shift
  show run approve the InstallPlan that OLM creates in namespace "$namespace" for "$*"
  later 'it does not exist yet' && return
  until wait_for 600 install_plan "$namespace" "$(printf '%s\n' "$@" | sort | paste -sd ' ' -)"
    read -r name uid version <<<"$said"
    kubectl -n "$namespace" patch "installplans.operators.coreos.com/$name" --type merge --patch "{\"metadata\":{\"uid\":\"$uid\",\"resourceVersion\":\"$version\"},\"spec\":{\"approved\":true}}"; do
    once_more || stop 'the API server refuses the patch'
  done
  check 600 kubectl -n "$namespace" wait "installplans.operators.coreos.com/$name" --for=jsonpath='{.status.phase}'=Complete --timeout=10m
}

# ask asks for a yes, and fails if the answer is to skip it.
ask() {
  local answer
  printf '%s [yes, or s to skip it; anything else stops] ' "$*"
  read -r answer <&3 || answer=''
  case $answer in
    yes | y) ;;
    s | skip) return 1 ;;
    *) stop 'as you answered' ;;
  esac
}

step() { # NUMBER TITLE FUNCTION [final]
  local before=$problems
  at=$1
  printf '\nstep %s: %s\n' "$1" "$2"
  doing=try
  "$3"
  [ "$mode" = run ] || return 0
  if [ "$problems" -gt "$before" ]; then
    [ "$yes" != all ] || stop 'it has a problem, see above'
    ask "step $1 has a problem, see above. Go on without it?" || true
    skipped=$((skipped + 1))
    return 0
  fi
  if [ "$yes" != all ] && { [ -z "$yes" ] || [ -n "${4-}" ]; }; then
    ask "run step $1?${4:+ It cannot be undone.}" || {
      skipped=$((skipped + 1))
      return 0
    }
  fi
  doing=run
  identify
  "$3"
}

by_hand() { # NUMBER TITLE REASON
  at=$1
  printf '\nstep %s: %s: not written, %s\n' "$1" "$2" "$3"
  [ "$mode" = try ] || [ "$yes" = all ] || ask "do what the answer says in $1 by hand. Is it done?" || skipped=$((skipped + 1))
}

begin() {
  command -v kubectl >/dev/null || stop 'there is no kubectl'
  if [ "$mode" = run ] && [ "$yes" != all ]; then
    { : </dev/tty; } 2>/dev/null || stop 'there is no terminal to ask: run it in one, or with --yes-to-all'
    exec 3</dev/tty
  fi
  identify
}

end() {
  at=''
  if [ "$mode" = try ]; then
    printf '\nnothing was changed. --run runs the steps: each one asks first\n'
    [ "$problems" -eq 0 ] || stop "$problems of the commands would fail, see above"
  else
    printf '\nall steps are done%s\n' "$([ "$skipped" -eq 0 ] || echo ", except $skipped that you skipped")"
  fi
}
