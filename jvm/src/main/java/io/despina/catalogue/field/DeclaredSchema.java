package io.despina.catalogue.field;

import io.despina.descriptor.Ddl;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.StandardStreams;
import io.despina.spec.FileFormat;

/** Schemas that a graph writes as DDL; the checker has read the text once before. */
public final class DeclaredSchema {
    /** The schema of text files. */
    private static final Schema LINES = Schema.of(new Column("value", Type.Simple.STRING, true));
    /** The schema of records as they are. */
    private static final Schema BYTES = Schema.of(new Column("value", Type.Simple.BINARY, true));

    /** For the fields of sources. */
    public static final String DEFAULTS = "A column may have a default, a literal: `celsius DOUBLE DEFAULT 20.0`. That is what "
            + "it is in rows that a program gives (`inputs`) and in json records that leave it out; one that is null stays NULL.";

    private DeclaredSchema() {
    }

    public static Schema of(Text written) {
        try {
            return Ddl.parse(written.value());
        } catch (Ddl.DdlException e) {
            throw new IllegalStateException("checked before", e);
        }
    }

    /** The same as {@link #ofFiles}, but text may have columns from its folders beside that of its lines. */
    public static Schema ofFolders(PlanningContext context, FileFormat format) {
        Text written = context.fields().text("schema");
        Schema schema = format == FileFormat.TEXT && written != null ? nullable(of(written)) : null;
        boolean more = schema != null && schema.size() > 1 && !StandardStreams.isMeant(context.fields().string("path", ""))
                && schema.columns().stream().anyMatch(c -> c.type() == Type.Simple.STRING);
        return more ? schema : ofFiles(context, format);
    }

    /** The schema that is written, with every column nullable; null after a refusal. */
    public static Schema ofFiles(PlanningContext context, FileFormat format) {
        Text written = context.fields().text("schema");
        if (written == null) {
            Schema one = format.isBinary() ? BYTES : LINES;
            return format.isWhole() ? one : context.refuse(context.operator().place(), Rule.MISSING_FIELD,
                    context.operator().type().withArticle() + " of format " + context.fields().string("format",
                    "") + " needs `schema`",
                    "for example \"schema\": \"ts TIMESTAMP, value DOUBLE\"");
        }
        Schema schema = nullable(of(written));
        String problem = FormatOptions.unwritable(format, schema);
        return problem == null ? schema : context.refuse(written.place(), Rule.SCHEMA, problem, null);
    }

    /** The schema as Spark's file sources read it: every column may be NULL. */
    public static Schema nullable(Schema schema) {
        return new Schema(schema.columns().stream().map(c -> new Column(c.name(), nullable(c.type()), true, c.absent()))
                .toList());
    }

    private static Type nullable(Type type) {
        if (type instanceof Type.Struct struct) {
            return new Type.Struct(struct.fields().stream().map(f -> new Column(f.name(), nullable(f.type()), true)).toList());
        }
        if (type instanceof Type.Array array) {
            return new Type.Array(nullable(array.element()), true);
        }
        return type instanceof Type.MapOf map ? new Type.MapOf(nullable(map.key()), nullable(map.value()), true) : type;
    }
}
