package io.despina.descriptor;

import java.util.ArrayList;
import java.util.List;

/**
 * An error or a warning in a file.
 *
 * @param file  as the user named it
 * @param place of the value
 * @param rule  a {@link Rule}'s code
 * @param hint  what to do; null for no hint
 * @param graph the file of the graph, which is another one where the place is in a part
 * @param more  how many other uses of the part have the same
 */
public record Diagnostic(String file, Place place, Severity severity, String rule, String message, String hint, String graph,
        int more) {

    public Diagnostic(String file, Place place, Severity severity, String rule, String message, String hint) {
        this(file, place, severity, rule, message, hint, file, 0);
    }

    /** Where a part is used, or named. */
    public record Used(String file, Place place) {
    }

    /** Where the part is used that has the place, where that part is used, and so on outwards; empty outside of parts. */
    public List<Used> used() {
        List<Used> all = new ArrayList<>();
        for (PartUse use = place.use(); use != null; use = use.at().use()) {
            all.add(new Used(use.at().file(graph), use.at()));
        }
        return all;
    }

    Diagnostic withMore(int others) {
        return new Diagnostic(file, place, severity, rule, message, hint, graph, others);
    }

    /** The diagnostic as text for people: one line, and one more for the hint. No newline at the end. */
    public String render() {
        List<String> about = new ArrayList<>();
        if (!place.pointer().isEmpty()) {
            about.add("at " + place.pointer());
        }
        if (place.operatorId() != null) {
            about.add("operator " + place.operatorId());
        }
        used().forEach(u -> about.add("used at " + u.file() + ":" + u.place().line() + ":" + u.place().column()));
        if (more > 0) {
            about.add("and in " + more + (more == 1 ? " more use" : " more uses"));
        }
        return file + ":" + place.line() + ":" + place.column() + ": " + severity.word() + "[" + rule + "]: " + message
                + (about.isEmpty() ? "" : " (" + String.join(", ", about) + ")") + (hint == null ? "" : "\n  hint: " + hint);
    }
}
