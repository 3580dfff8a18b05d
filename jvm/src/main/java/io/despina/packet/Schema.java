package io.despina.packet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The columns of a stream, at least one. Names compare case-insensitively, as in Spark. */
public final class Schema {
    private final List<Column> columns;
    private final Map<String, Integer> ordinals = new HashMap<>();
    private final PacketLayout layout;

    /** @throws IllegalArgumentException if there is no column, or two names differ at most by case */
    public Schema(List<Column> columns) {
        if (columns.isEmpty()) {
            throw new IllegalArgumentException("a schema needs at least one column");
        }
        this.columns = List.copyOf(columns);
        for (int k = 0; k < columns.size(); k++) {
            Integer other = ordinals.put(columns.get(k).name().toLowerCase(Locale.ROOT), k);
            if (other != null) {
                throw new IllegalArgumentException("columns `" + columns.get(other).name() + "` and `"
                        + columns.get(k).name() + "` have the same name");
            }
        }
        layout = new PacketLayout(this.columns);
    }

    public static Schema of(Column... columns) {
        return new Schema(List.of(columns));
    }

    public List<Column> columns() {
        return columns;
    }

    public Column column(int ordinal) {
        return columns.get(ordinal);
    }

    public int size() {
        return columns.size();
    }

    /** The ordinal of the column of that name, or -1. */
    public int indexOf(String name) {
        return ordinals.getOrDefault(name.toLowerCase(Locale.ROOT), -1);
    }

    public List<String> names() {
        return columns.stream().map(Column::name).toList();
    }

    public PacketLayout layout() {
        return layout;
    }

    /** The same columns, each of which may be NULL. */
    public Schema allNullable() {
        return new Schema(columns.stream().map(c -> new Column(c.name(), c.type(), true)).toList());
    }

    /** The same columns in a stream, where no packet leaves one out. */
    public Schema withoutDefaults() {
        return new Schema(columns.stream().map(c -> new Column(c.name(), c.type(), c.nullable())).toList());
    }

    /** Those that a record may leave out, each with what it then is. */
    public List<Column> defaults() {
        return columns.stream().filter(c -> c.absent() != null).toList();
    }

    /** These columns, then those of {@code other}. */
    public Schema plus(Schema other) {
        List<Column> all = new ArrayList<>(columns);
        all.addAll(other.columns);
        return new Schema(all);
    }

    /** The schema as Spark DDL; {@code descriptor} and Spark read it back. */
    public String sql() {
        return columns.stream().map(Column::sql).collect(Collectors.joining(", "));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Schema that && columns.equals(that.columns);
    }

    @Override
    public int hashCode() {
        return columns.hashCode();
    }

    @Override
    public String toString() {
        return sql();
    }
}
