package io.despina.descriptor;

/**
 * An error or a warning in a file.
 *
 * @param file  as the user named it
 * @param place of the value
 * @param rule  a {@link Rule}'s code
 * @param hint  what to do; null for no hint
 */
public record Diagnostic(String file, Place place, Severity severity, String rule, String message, String hint) {

    /** The diagnostic as text for people: one line, and one more for the hint. No newline at the end. */
    public String render() {
        String pointer = place.pointer();
        String operatorId = place.operatorId();
        return file + ":" + place.line() + ":" + place.column() + ": " + severity.word() + "[" + rule + "]: " + message
                + (pointer.isEmpty() ? "" : " (at " + pointer + (operatorId == null ? "" : ", operator " + operatorId) + ")")
                + (hint == null ? "" : "\n  hint: " + hint);
    }
}
