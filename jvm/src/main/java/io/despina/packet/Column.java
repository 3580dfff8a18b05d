package io.despina.packet;

/** A named, typed place in a packet. */
public record Column(String name, Type type, boolean nullable) {

    /** The column as a DDL field, for example {@code `a b` INT NOT NULL}. */
    public String sql() {
        return quoted(name) + " " + type.sql() + (nullable ? "" : " NOT NULL");
    }

    static String quoted(String name) {
        return name.matches("[A-Za-z_][A-Za-z0-9_]*") ? name : "`" + name.replace("`", "``") + "`";
    }
}
