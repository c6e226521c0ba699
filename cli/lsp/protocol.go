package lsp

// The types of the Language Server Protocol 3.17, as far as they are used.

type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version,omitempty"`
	Text    string `json:"text,omitempty"`
}

type initializeParams struct {
	RootURI      string   `json:"rootUri"`
	Folders      []folder `json:"workspaceFolders"`
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
	} `json:"capabilities"`
}

type folder struct {
	URI string `json:"uri"`
}

type foldersParams struct {
	Event struct {
		Added   []folder `json:"added"`
		Removed []folder `json:"removed"`
	} `json:"event"`
}

type documentParams struct {
	TextDocument textDocument `json:"textDocument"`
}

type changeParams struct {
	TextDocument textDocument    `json:"textDocument"`
	Changes      []contentChange `json:"contentChanges"`
}

type contentChange struct {
	Range *textRange `json:"range"` // nil: all of the text
	Text  string     `json:"text"`
}

type watchedParams struct {
	Changes []folder `json:"changes"`
}

type positionParams struct {
	TextDocument textDocument `json:"textDocument"`
	Position     position     `json:"position"`
	NewName      string       `json:"newName"`
}

type actionParams struct {
	TextDocument textDocument `json:"textDocument"`
	Range        textRange    `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type cancelParams struct {
	ID any `json:"id"`
}

type diagnostic struct {
	Range    textRange      `json:"range"`
	Severity int            `json:"severity"`
	Code     string         `json:"code"`
	About    *codeAbout     `json:"codeDescription,omitempty"`
	Source   string         `json:"source"`
	Message  string         `json:"message"`
	Related  []relatedPlace `json:"relatedInformation,omitempty"`
}

type codeAbout struct {
	Href string `json:"href"`
}

type relatedPlace struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type diagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit"`
}

type hover struct {
	Contents markup    `json:"contents"`
	Range    textRange `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type completionItem struct {
	Label  string   `json:"label"`
	Kind   int      `json:"kind"`
	Detail string   `json:"detail,omitempty"`
	Sort   string   `json:"sortText"`
	Filter string   `json:"filterText"`
	Edit   textEdit `json:"textEdit"`
}

type documentSymbol struct {
	Name      string           `json:"name"`
	Detail    string           `json:"detail,omitempty"`
	Kind      int              `json:"kind"`
	Tags      []int            `json:"tags,omitempty"`
	Range     textRange        `json:"range"`
	Selection textRange        `json:"selectionRange"`
	Children  []documentSymbol `json:"children,omitempty"`
}

// Kinds of symbols and of items.
const (
	symbolPackage, symbolChannel, symbolEntry, symbolBundle = 4, 3, 22, 19 // Package, Namespace, EnumMember, Object
	itemValue                                               = 12
	tagDeprecated                                           = 1
)
