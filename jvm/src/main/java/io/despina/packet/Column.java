package io.despina.packet;

import java.util.regex.Pattern;

/**
 * A named, typed place in a packet.
 *
 * @param absent what it is where a record given to a source leaves it out, as an SQL literal; null if a record must have it, or
 *               in a stream, where nothing is left out
 */
public record Column(String name, Type type, boolean nullable, String absent) {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    public Column(String name, Type type, boolean nullable) {
        this(name, type, nullable, null);
    }

    /** The column as a DDL field, for example {@code `a b` INT NOT NULL}. */
    public String sql() {
        return quoted(name) + " " + type.sql() + (nullable ? "" : " NOT NULL") + (absent == null ? "" : " DEFAULT " + absent);
    }

    /** The name in backticks, as SQL names a column of any name. */
    public static String inSql(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /** The name as SQL: in backticks where it needs them. */
    public static String quoted(String name) {
        return PLAIN.matcher(name).matches() ? name : inSql(name);
    }
}
