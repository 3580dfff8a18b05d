package io.despina.operator.database;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A statement whose parameters are written {@code :column}. In texts, quoted names and comments a colon is nothing special, nor
 * are two in a row, PostgreSQL's cast.
 *
 * @param sql     with a question mark for each parameter
 * @param columns the parameters, in the order of the question marks
 */
public record SqlText(String sql, List<String> columns) {

    private static final Pattern BLOCK = Pattern.compile("\\s*(?:BEGIN|DECLARE|CREATE|DO)\\b", Pattern.CASE_INSENSITIVE);

    public SqlText {
        columns = List.copyOf(columns);
    }

    public static SqlText parse(String written) {
        StringBuilder sql = new StringBuilder();
        List<String> columns = new ArrayList<>();
        for (int at = 0; at < written.length();) {
            int end = endOfToken(written, at);
            if (written.charAt(at) == ':' && end > at + 1 && written.charAt(at + 1) != ':') {
                columns.add(written.substring(at + 1, end));
                sql.append('?');
            } else {
                sql.append(written, at, end);
            }
            at = end;
        }
        return new SqlText(sql.toString(), columns);
    }

    /**
     * What stands behind the first statement's semicolon; empty if nothing does. Comments and more semicolons are nothing, and
     * in blocks and definitions semicolons end no statement.
     */
    public static String behindFirst(String written) {
        if (BLOCK.matcher(written).lookingAt() || written.contains("$$")) {
            return "";
        }
        int at = 0;
        while (at < written.length() && written.charAt(at) != ';') {
            at = endOfToken(written, at);
        }
        while (at < written.length() && (written.charAt(at) == ';' || Character.isWhitespace(written.charAt(at))
                || written.startsWith("--", at) || written.startsWith("/*", at))) {
            at = endOfToken(written, at);
        }
        return written.substring(at);
    }

    private static int endOfToken(String text, int at) {
        char first = text.charAt(at);
        if (first == '\'' || first == '"' || first == '`') {
            return after(text, String.valueOf(first), at + 1);
        }
        if (text.startsWith("--", at)) {
            return after(text, "\n", at);
        }
        if (text.startsWith("/*", at)) {
            return after(text, "*/", at + 2);
        }
        if (text.startsWith("::", at)) {
            return at + 2;
        }
        int end = at + 1;
        if (first == ':' && end < text.length() && Character.isJavaIdentifierStart(text.charAt(end))) {
            while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) {
                end++;
            }
        }
        return end;
    }

    private static int after(String text, String what, int from) {
        int found = text.indexOf(what, from);
        return found < 0 ? text.length() : found + what.length();
    }
}
