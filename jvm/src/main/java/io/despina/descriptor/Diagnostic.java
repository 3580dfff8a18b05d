package io.despina.descriptor;

/**
 * An error or a warning in a file.
 *
 * @param file       as the user named it
 * @param line       from 1, at the value
 * @param column     from 1, in characters
 * @param rule       a {@link Rule}'s code
 * @param pointer    JSON pointer; empty for the whole document
 * @param operatorId null if it is about no operator
 * @param hint       what to do; null for no hint
 */
public record Diagnostic(String file, int line, int column, Severity severity, String rule, String message, String pointer,
        String operatorId, String hint) {

    /** The diagnostic as text for people: one line, and one more for the hint. No newline at the end. */
    public String render() {
        return file + ":" + line + ":" + column + ": " + severity.word() + "[" + rule + "]: " + message
                + (pointer.isEmpty() ? "" : " (at " + pointer + (operatorId == null ? "" : ", operator " + operatorId) + ")")
                + (hint == null ? "" : "\n  hint: " + hint);
    }
}
