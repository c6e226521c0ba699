package csv

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var icon = lint.Rule{
	ID: "csv/icon", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `a ClusterServiceVersion has no icon, or one that the pipelines reject
The console shows the icon of an operator beside its name. All pipelines require that it is one image, in SVG, PNG, JPEG or GIF. The
pipeline of the community catalog also rejects an operator without an icon, and data that is not base64.
Set base64data and mediatype of one item in spec.icon.`,
	Reference: "operator-framework/api operatorhub.go checkSpecIcon; operator-pipelines validations.py validate_icon",
	Check:     contents.InHeads(contents.WithReadableCSV(checkIcon)),
}

// iconTypes are the media types of icons (operator-framework/api: operatorhub.go).
var iconTypes = []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif"}

func checkIcon(c *contents.Contents) {
	var csv struct {
		Spec struct {
			Icon []struct {
				Data      string `json:"base64data"`
				MediaType string `json:"mediatype"`
			} `json:"icon"`
		} `json:"spec"`
	}
	if c.CSV.Err != nil || json.Unmarshal(c.CSV.Manifest.JSON(), &csv) != nil {
		return // reported by csv/field-type
	}
	icons := csv.Spec.Icon
	if len(icons) == 0 {
		c.Report("spec", "set base64data and mediatype of one item in spec.icon",
			"has no icon: the community pipeline rejects it").Gates = lint.GateCommunity
		return
	}
	if len(icons) > 1 {
		c.Report("spec.icon", "keep one", "has %d icons: the pipelines reject more than one", len(icons))
	}
	one := icons[0]
	switch data, err := base64.StdEncoding.DecodeString(withoutSpace(one.Data)); {
	case one.Data == "" || one.MediaType == "":
		c.Report("spec.icon[0]", "set base64data and mediatype", "has an icon without data or without a media type: the pipelines reject it")
	case !slices.Contains(iconTypes, one.MediaType):
		c.Report("spec.icon[0].mediatype", "use one of "+strings.Join(iconTypes, ", "),
			"has an icon of the media type %q, which the pipelines reject", one.MediaType).WithCause(one.MediaType)
	case err != nil || len(data) == 0:
		c.Report("spec.icon[0].base64data", "encode the image with base64",
			"has an icon whose data is not base64: the community pipeline rejects it").Gates = lint.GateCommunity
	}
}

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }
