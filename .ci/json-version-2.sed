# Keys of the JSON that version 2 renamed: the fourth argument of .ci/compare for a commit before it and one after it. See docs/JSON.md.
s/"version": 1,/"version": 2,/
s/^( +)"cure":/\1"fix":/
s/^( +)"ways":/\1"paths":/
s/^( +)"gone":/\1"notInCatalog":/
s/^( +)"passesOver":/\1"skippedVersions":/
s/^( +)"newMajor":/\1"majorUpgrade":/
s/^( +)"takeOut":/\1"removeSkips":/
s/^( +)"refused":/\1"rejected":/
s/^( +)"next":/\1"upgradesTo":/
s/^( +)"nextV1":/\1"upgradesToV1":/
s/^( +)"way":/\1"pathExists":/
s/^( +)"refusedTo":/\1"rejectedStoredVersions":/
s/^( +)"brought":/\1"inBundle":/
s/^( +)"fault":/\1"error":/
s/^( +)"bundleVersion":/\1"version":/
s/^( +)"hops": \[/\1"steps": [/
s/^( +)"ref":/\1"reference":/
