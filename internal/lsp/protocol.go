package lsp

import "encoding/json"

// The messages of the protocol, as far as the server knows them. The names are those of the
// protocol.

// What the protocol calls how bad a diagnostic is.
const (
	severityError       = 1
	severityWarning     = 2
	severityInformation = 3
	severityHint        = 4
)

// The types of messages to the user.
const (
	messageError   = 1
	messageWarning = 2
	messageInfo    = 3
	messageLog     = 4
)

// The error codes of the protocol beside those of JSON-RPC.
const (
	codeNotInitialized = -32002
	codeRequestFailed  = -32803
	codeCancelled      = -32800
)

// The encodings of positions.
const (
	encodingUTF8  = "utf-8"
	encodingUTF16 = "utf-16"
)

type initializeParams struct {
	RootURI          string            `json:"rootUri"`
	WorkspaceFolders []workspaceFolder `json:"workspaceFolders"`
	Capabilities     struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Window struct {
			WorkDoneProgress bool `json:"workDoneProgress"`
			ShowDocument     struct {
				Support bool `json:"support"`
			} `json:"showDocument"`
		} `json:"window"`
		Workspace struct {
			CodeLens struct {
				RefreshSupport bool `json:"refreshSupport"`
			} `json:"codeLens"`
			DidChangeWatchedFiles struct {
				DynamicRegistration bool `json:"dynamicRegistration"`
			} `json:"didChangeWatchedFiles"`
		} `json:"workspace"`
		TextDocument struct {
			PublishDiagnostics struct {
				RelatedInformation     bool `json:"relatedInformation"`
				CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
			} `json:"publishDiagnostics"`
		} `json:"textDocument"`
	} `json:"capabilities"`
	InitializationOptions struct {
		// Trusted is false where the user has not said that programs of this workspace may be
		// run: then no command runs one.
		Trusted *bool `json:"trusted"`
	} `json:"initializationOptions"`
}

type workspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

type initializeResult struct {
	Capabilities serverCapabilities `json:"capabilities"`
	ServerInfo   serverInfo         `json:"serverInfo"`
}

type serverInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type serverCapabilities struct {
	PositionEncoding       string                  `json:"positionEncoding"`
	TextDocumentSync       textDocumentSyncOptions `json:"textDocumentSync"`
	CodeLensProvider       codeLensOptions         `json:"codeLensProvider"`
	ExecuteCommandProvider executeCommandOptions   `json:"executeCommandProvider"`
	Workspace              workspaceOptions        `json:"workspace"`
}

type textDocumentSyncOptions struct {
	OpenClose bool `json:"openClose"`
	Change    int  `json:"change"`
	Save      bool `json:"save"`
}

type codeLensOptions struct {
	ResolveProvider bool `json:"resolveProvider"`
}

// syncFull has the client send all of a document with each change.
const syncFull = 1

type executeCommandOptions struct {
	Commands         []string `json:"commands"`
	WorkDoneProgress bool     `json:"workDoneProgress"`
}

type workspaceOptions struct {
	WorkspaceFolders struct {
		Supported           bool `json:"supported"`
		ChangeNotifications bool `json:"changeNotifications"`
	} `json:"workspaceFolders"`
}

type didOpenParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
	} `json:"textDocument"`
	ContentChanges []struct {
		Range json.RawMessage `json:"range"` // none: all of the document
		Text  string          `json:"text"`
	} `json:"contentChanges"`
}

type textDocumentParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
}

type didChangeWorkspaceFoldersParams struct {
	Event struct {
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type diagnostic struct {
	Range              textRange            `json:"range"`
	Severity           int                  `json:"severity"`
	Code               string               `json:"code,omitempty"`
	CodeDescription    *codeDescription     `json:"codeDescription,omitempty"`
	Source             string               `json:"source"`
	Message            string               `json:"message"`
	RelatedInformation []relatedInformation `json:"relatedInformation,omitempty"`
	Data               *diagnosticData      `json:"data,omitempty"`
}

// diagnosticData is what commands need to know of a finding.
type diagnosticData struct {
	Entry   string `json:"entry"`
	Finding int    `json:"finding"`
	Stale   bool   `json:"stale"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type relatedInformation struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type codeLens struct {
	Range   textRange `json:"range"`
	Command command   `json:"command"`
}

type command struct {
	Title     string            `json:"title"`
	Command   string            `json:"command"`
	Arguments []commandArgument `json:"arguments"`
}

// commandArgument is the one argument of the commands of this server.
type commandArgument struct {
	URI string `json:"uri"`
	// Entry is the name of the entry point's function; "" of a check is all of the package.
	Entry string `json:"entry,omitempty"`
	// Finding is the number of a finding for a replay; 0 is the first one that can be replayed.
	Finding int `json:"finding,omitempty"`
}

type executeCommandParams struct {
	Command       string            `json:"command"`
	Arguments     []json.RawMessage `json:"arguments"`
	WorkDoneToken json.RawMessage   `json:"workDoneToken"`
}

type cancelParams struct {
	ID json.RawMessage `json:"id"`
}

type progressTokenParams struct {
	Token json.RawMessage `json:"token"`
}

type progressParams struct {
	Token json.RawMessage `json:"token"`
	Value workDone        `json:"value"`
}

// workDone is the value of a progress notification; its kind is begin, report or end.
type workDone struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
	Message     string `json:"message,omitempty"`
}

type messageParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

type showDocumentParams struct {
	URI      string `json:"uri"`
	External bool   `json:"external"`
}

type registrationParams struct {
	Registrations []registration `json:"registrations"`
}

type registration struct {
	ID              string         `json:"id"`
	Method          string         `json:"method"`
	RegisterOptions watcherOptions `json:"registerOptions"`
}

type watcherOptions struct {
	Watchers []fileSystemWatcher `json:"watchers"`
}

type fileSystemWatcher struct {
	GlobPattern string `json:"globPattern"`
}
