package io.despina.catalogue;

import io.despina.catalogue.field.LocalPath;
import io.despina.catalogue.field.TableCatalog;
import io.despina.descriptor.CommonFields;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.operator.disk.FileAddress;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import io.despina.plan.PlanningContext;
import io.despina.plan.StandardStreams;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Kinds of tables of files. */
public enum Lake {
    DELTA("delta", "Delta", Set.of(Simple.TIMESTAMP_NTZ), "CAST it in a project before: TIMESTAMP_NTZ to TIMESTAMP") {
        /** The log has the types that the sink lacks. */
        @Override
        boolean isRead(Type type) {
            return true;
        }

        @Override
        boolean isName(String name) {
            return !STRANGE.matcher(name).find();
        }
    },
    ICEBERG("iceberg", "Iceberg", Set.of(Simple.TINYINT, Simple.SMALLINT), "tables have INT in its place");

    /** Delta's log has them nowhere else than in files. */
    private static final Pattern STRANGE = Pattern.compile("[ ,;{}()\n\t=]");

    private final String connector;
    private final String title;
    private final Set<Simple> lacking;
    private final String instead;

    Lake(String connector, String title, Set<Simple> lacking, String instead) {
        this.connector = connector;
        this.title = title;
        this.lacking = lacking;
        this.instead = instead;
    }

    /** The name of its jar, and of its format in Spark. */
    String connector() {
        return connector;
    }

    String title() {
        return title;
    }

    /** What Spark's writer of parquet is told: of itself it writes TIMESTAMP as INT96, which Iceberg's format has not. */
    Map<String, String> writing() {
        return this == ICEBERG ? Map.of("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS") : Map.of();
    }

    /** The fields that say where a table is. */
    List<FieldSpec> place() {
        return this == DELTA ? List.of(FieldSpec.required("path", CommonFields.TEXT, "The table's folder, of this "
                + "machine or of a store: `s3a://bucket/folder`."))
                : List.of(FieldSpec.optional("path", CommonFields.TEXT, "`catalog`", "The table's folder."), TableCatalog.FIELD);
    }

    /**
     * Where the table is; null after a refusal.
     *
     * @param done with tables: {@code read}
     */
    LakeAddress address(PlanningContext context, String done) {
        boolean isFolder = context.fields().isWritten("path");
        if (isFolder == TableCatalog.isMeant(context)) {
            return context.refuse(context.operator().place(), isFolder ? Rule.EXCLUSIVE : Rule.MISSING_FIELD, isFolder
                    ? "`path` and `catalog` exclude each other" : "a table is in a folder, or in a catalog",
                    isFolder ? "leave one of them out" : "add `path` or `catalog`");
        }
        if (!isFolder) {
            TableCatalog.Found found = TableCatalog.read(context);
            return found == null ? null : new LakeAddress(found.settings(), found.database());
        }
        Text path = context.fields().text("path");
        String folder = LocalPath.anywhere(context, path);
        boolean isElsewhere = folder != null && FileAddress.isHadoops(folder);
        if (folder == null || !StandardStreams.isMeant(folder) && (this == DELTA || !isElsewhere)) {
            return folder == null ? null : new LakeAddress(Map.of("path", folder), null);
        }
        return context.refuse(path.place(), Rule.PATH, "`" + path.value() + "` is no folder" + (isElsewhere ? " of this machine"
                : ""), isElsewhere ? "tables elsewhere are " + done + " by a `catalog`" : "give the table's folder");
    }

    /** Refuses columns that a sink cannot write. */
    boolean canHold(PlanningContext context, Schema columns) {
        for (Column each : columns.columns()) {
            if (!has(each.type())) {
                return lacks(context, context.operator().place(), each);
            }
            if (!isName(each.name())) {
                context.refuse(context.operator().place(), Rule.BAD_NAME, "column `" + each.name() + "` has a sign in its name "
                        + "that " + title + " does not allow", "give it another name in a project before: no blank, and none of "
                        + ",;{}()=");
                return false;
            }
        }
        return true;
    }

    /** Refuses columns that no table has. */
    boolean canRead(PlanningContext context, Schema columns) {
        Column lacking = columns.columns().stream().filter(each -> !isRead(each.type())).findFirst().orElse(null);
        return lacking == null || lacks(context, context.fields().place("schema"), lacking);
    }

    private boolean lacks(PlanningContext context, Place place, Column column) {
        context.refuse(place, Rule.COLUMN_TYPE, "column `" + column.name() + "` is " + column.type().sql() + ", which no column "
                + "of " + (this == DELTA ? "a " : "an ") + title + " table is here", instead);
        return false;
    }

    boolean isName(String name) {
        return true;
    }

    boolean isRead(Type type) {
        return has(type);
    }

    private boolean has(Type type) {
        if (type instanceof Type.Struct struct) {
            return !struct.fields().isEmpty() && struct.fields().stream().allMatch(each -> has(each.type()));
        }
        if (type instanceof Type.Array array) {
            return has(array.element());
        }
        if (type instanceof Type.MapOf map) {
            return has(map.key()) && has(map.value());
        }
        return type instanceof Type.Decimal || type instanceof Simple simple && !lacking.contains(simple);
    }
}
