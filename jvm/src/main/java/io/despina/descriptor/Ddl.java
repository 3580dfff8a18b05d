package io.despina.descriptor;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Interval.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a schema as Spark DDL, for example {@code ts TIMESTAMP NOT NULL, "a b" ARRAY<INT>} (with backquotes for the quotes),
 * without Spark. A column may have a {@code DEFAULT}, a literal: see {@link Column#absent}. {@code COMMENT 'text'} is read and
 * dropped.
 */
public final class Ddl {

    /** DDL that cannot be read, or whose types a packet cannot hold. */
    public static final class DdlException extends Exception {
        private static final long serialVersionUID = 1L;
        private final int index;
        private final String hint;

        DdlException(int index, String message, String hint) {
            super(message);
            this.index = index;
            this.hint = hint;
        }

        /** The index in the text. */
        public int index() {
            return index;
        }

        /** What to do, or null. */
        public String hint() {
            return hint;
        }
    }

    private static final Set<String> DECIMALS = Set.of("DECIMAL", "DEC", "NUMERIC");
    private static final Set<String> LIMITED = Set.of("CHAR", "CHARACTER", "VARCHAR");
    private static final Set<String> UNHELD = Set.of("VARIANT", "VOID", "TIME", "OBJECT", "GEOMETRY", "GEOGRAPHY");
    private static final String TYPES = "the types are BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), "
            + "DATE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL YEAR TO MONTH, INTERVAL DAY TO SECOND and their parts, "
            + "STRING, BINARY, ARRAY<…>, MAP<…, …> and STRUCT<name: …>";
    /** Of types, as they are misspelt. */
    private static final List<String> NAMES = List.of("BOOLEAN", "TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT", "LONG",
            "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "INTERVAL", "STRING", "BINARY", "ARRAY", "MAP",
            "STRUCT");
    private static final String INTERVALS = "write INTERVAL YEAR TO MONTH, INTERVAL DAY TO SECOND, or a part of one, as "
            + "INTERVAL HOUR";
    /** Literals of one word. */
    private static final Set<String> WORDS = Set.of("TRUE", "FALSE", "NULL");
    /** What stands before a text, whose type it says. */
    private static final Set<String> TYPED = Set.of("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "X");
    private static final Pattern NUMBER = Pattern.compile(
            "[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?(BD|[LSYDFlsydf])?(?!\\w)");
    private final String text;
    private int at;

    private Ddl(String text) {
        this.text = text;
    }

    /** Reads a list of columns. */
    public static Schema parse(String text) throws DdlException {
        Ddl ddl = new Ddl(text);
        List<Column> columns = ddl.columns(false);
        ddl.skipSpace();
        if (ddl.at < text.length()) {
            throw ddl.wrong("`,` or the end");
        }
        return schema(columns, 0);
    }

    private static Schema schema(List<Column> columns, int at) throws DdlException {
        try {
            return new Schema(columns);
        } catch (IllegalArgumentException e) {
            throw new DdlException(at, e.getMessage(), "column names do not differ by upper and lower case");
        }
    }

    private List<Column> columns(boolean inStruct) throws DdlException {
        List<Column> columns = new ArrayList<>();
        do {
            String name = name();
            if (inStruct) {
                take(":");
            }
            columns.add(column(name, type(), inStruct));
        } while (take(","));
        return columns;
    }

    /** What follows a type, in any order, as in Spark's CREATE TABLE. */
    private Column column(String name, Type type, boolean inStruct) throws DdlException {
        boolean nullable = true;
        String absent = null;
        int absentAt = 0;
        while (true) {
            skipSpace();
            int start = at;
            if (notNull()) {
                nullable = false;
            } else if (takeWord("COMMENT")) {
                quoted("the comment");
            } else if (takeWord("DEFAULT")) {
                if (inStruct) {
                    throw new DdlException(start, "a field of a STRUCT has no default", "give the column one");
                }
                skipSpace();
                absentAt = at;
                absent = literal();
            } else {
                String problem = absent == null ? null : DefaultLiteral.problem(absent, type, nullable);
                if (problem != null) {
                    throw new DdlException(absentAt, "the default of column `" + name + "` is " + absent + ": " + problem, null);
                }
                return new Column(name, type, nullable, absent);
            }
        }
    }

    /** A number, a text in quotes, a word, or a word and a text, as {@code DATE '2024-01-01'}. */
    private String literal() throws DdlException {
        skipSpace();
        int start = at;
        Matcher number = NUMBER.matcher(text).region(at, text.length());
        if (number.lookingAt()) {
            at = number.end();
        } else if (isQuote()) {
            quoted("the default");
        } else {
            String word = word().toUpperCase(Locale.ROOT);
            if (TYPED.contains(word)) {
                quoted("the default");
            } else if (!WORDS.contains(word)) {
                throw new DdlException(start, "a default is a literal: a number, a text in quotes, TRUE, FALSE, NULL, "
                        + "DATE '…', TIMESTAMP '…' or X'…'", null);
            }
        }
        return text.substring(start, at);
    }

    private boolean isQuote() {
        skipSpace();
        return at < text.length() && (text.charAt(at) == '\'' || text.charAt(at) == '"');
    }

    private boolean notNull() throws DdlException {
        if (!takeWord("NOT")) {
            return false;
        }
        if (!takeWord("NULL")) {
            throw wrong("NULL after NOT");
        }
        return true;
    }

    private Type type() throws DdlException {
        skipSpace();
        int start = at;
        String word = word().toUpperCase(Locale.ROOT);
        if (word.isEmpty()) {
            throw wrong("a type");
        }
        Type simple = Type.simple(word);
        if (simple != null) {
            return simple;
        }
        if (DECIMALS.contains(word)) {
            return decimal(start);
        }
        if (LIMITED.contains(word)) {
            throw new DdlException(start, word + " cannot be held by a packet", "write STRING");
        }
        if (UNHELD.contains(word)) {
            throw new DdlException(start, "type " + word + " cannot be held by a packet", TYPES);
        }
        return switch (word) {
            case "INTERVAL" -> interval(start);
            case "ARRAY" -> {
                open();
                Type element = type();
                close();
                yield new Type.Array(element, true);
            }
            case "MAP" -> {
                open();
                Type key = type();
                if (!take(",")) {
                    throw wrong("`,` and the values' type");
                }
                Type value = type();
                close();
                yield new Type.MapOf(key, value, true);
            }
            case "STRUCT" -> {
                open();
                List<Column> fields = columns(true);
                close();
                yield new Type.Struct(schema(fields, start).columns());
            }
            default -> {
                String meant = Nearest.guess(word, NAMES);
                throw new DdlException(start, "unknown type " + word, meant == null ? TYPES : meant);
            }
        };
    }

    private Type decimal(int start) throws DdlException {
        int precision = 10;
        int scale = 0;
        if (take("(")) {
            precision = number();
            scale = take(",") ? number() : 0;
            if (!take(")")) {
                throw wrong("`)`");
            }
        }
        try {
            return new Type.Decimal(precision, scale);
        } catch (IllegalArgumentException e) {
            throw new DdlException(start, e.getMessage(), null);
        }
    }

    private Type interval(int start) throws DdlException {
        Unit from = unit();
        boolean spans = from != null && takeWord("TO");
        Unit to = spans ? unit() : from;
        if (to == null || spans && from == to) {
            throw new DdlException(start, "this INTERVAL cannot be held by a packet", INTERVALS);
        }
        try {
            return new Type.Interval(from, to);
        } catch (IllegalArgumentException e) {
            throw new DdlException(start, e.getMessage(), null);
        }
    }

    /** Null if something else follows. */
    private Unit unit() {
        for (Unit unit : Unit.values()) {
            if (takeWord(unit.name())) {
                return unit;
            }
        }
        return null;
    }

    private int number() throws DdlException {
        String digits = word();
        if (!digits.matches("[0-9]{1,4}")) {
            throw wrong("a number");
        }
        return Integer.parseInt(digits);
    }

    private void open() throws DdlException {
        if (!take("<")) {
            throw wrong("`<`");
        }
    }

    private void close() throws DdlException {
        if (!take(">")) {
            throw wrong("`>`");
        }
    }

    private String name() throws DdlException {
        skipSpace();
        if (at < text.length() && text.charAt(at) == '`') {
            return quotedName();
        }
        String name = word();
        if (name.isEmpty()) {
            throw wrong("a column name");
        }
        return name;
    }

    private String quotedName() throws DdlException {
        int start = at++;
        StringBuilder name = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != '`') {
                name.append(c);
            } else if (at < text.length() && text.charAt(at) == '`') {
                name.append(text.charAt(at++));
            } else if (name.isEmpty()) {
                throw new DdlException(start, "an empty column name", null);
            } else {
                return name.toString();
            }
        }
        throw new DdlException(start, "a backquote is not closed", null);
    }

    /** @param what in messages */
    private void quoted(String what) throws DdlException {
        if (!isQuote()) {
            throw wrong(what + " in quotes");
        }
        int start = at;
        char quote = text.charAt(at);
        for (at++; at < text.length(); at++) {
            if (text.charAt(at) == '\\') {
                at++;
            } else if (text.charAt(at) == quote && !text.startsWith(quote + "", ++at)) {
                return;
            }
        }
        throw new DdlException(start, what + " is not closed", null);
    }

    private boolean take(String symbol) {
        skipSpace();
        if (text.startsWith(symbol, at)) {
            at += symbol.length();
            return true;
        }
        return false;
    }

    private boolean takeWord(String wanted) {
        skipSpace();
        int before = at;
        if (word().equalsIgnoreCase(wanted)) {
            return true;
        }
        at = before;
        return false;
    }

    private String word() {
        skipSpace();
        int start = at;
        while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) {
            at++;
        }
        return text.substring(start, at);
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private DdlException wrong(String wanted) {
        skipSpace();
        String found = at >= text.length() ? "the end" : "`" + text.substring(at, Math.min(text.length(), at + 12)) + "`";
        return new DdlException(at, "found " + found + " where " + wanted + " should be", null);
    }
}
