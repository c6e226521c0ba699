package diagram

// Colours of the light theme, from the palette of Okabe and Ito, for colour-blind readers.
const (
	ink        = "#1b1f24"
	inkSoft    = "#57606a"
	inkFaint   = "#8c959f"
	paper      = "#ffffff"
	blue       = "#0072b2"
	blueSoft   = "#d6e9f5"
	green      = "#006b4f"
	greenSoft  = "#cdebe0"
	orange     = "#8f5a00"
	orangeSoft = "#fbe9c6"
	red        = "#b23a00"
	redSoft    = "#fbdccb"
	frame      = "#d0d7de"
)

// Colours of stuck entries; those of the page are in theme.css.
const (
	stuckColor = red
	stuckFill  = redSoft
)

// themeColor is a colour with its CSS variable. The picture has the light one in its attributes.
type themeColor struct{ name, light, dark string }

func themeColors() []themeColor {
	return []themeColor{
		{"ink", ink, "#e6edf3"}, {"soft", inkSoft, "#9da7b3"}, {"faint", inkFaint, "#768390"}, {"paper", paper, "#0d1117"},
		{"frame", frame, "#3d444d"}, {"blue", blue, "#6cb6ff"}, {"blue-soft", blueSoft, "#12304f"},
		{"green", green, "#57c9a3"}, {"green-soft", greenSoft, "#123a2e"}, {"orange", orange, "#e3b341"},
		{"orange-soft", orangeSoft, "#3a2c0b"}, {"red", red, "#ff8f66"}, {"red-soft", redSoft, "#4a1c0c"},
	}
}
