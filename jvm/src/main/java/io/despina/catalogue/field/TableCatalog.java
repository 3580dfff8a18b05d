package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.connect.ConnectorSettings.Tls;
import io.despina.connect.StoreFiles;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.disk.FileAddress;
import io.despina.plan.PlanningContext;
import io.despina.plan.StandardStreams;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The field {@code catalog}: who knows where an Iceberg table is, and which version is its newest. */
public final class TableCatalog {
    private static final String NAME = "catalog";
    private static final Pattern TABLE = Pattern.compile("[^.\\s]+(?:\\.[^.\\s]+)+");
    /** What Iceberg takes beside the client's name and secret. */
    private static final Set<String> FORM = Set.of("scope", "audience", "resource");
    /** Iceberg would put the variable's value in its place. */
    private static final String VARIABLE = "env:";
    private static final FieldSpec TABLE_FIELD = required("table", TEXT, "The table, behind its namespace: `lake.readings`. The "
            + "namespace must be there.");

    public static final FieldSpec FIELD = optional(NAME, new FieldKind.Variant(NAME, List.of(
            new Section("rest", "A server that is asked over HTTP, by Iceberg's REST interface.", rest()),
            new Section("jdbc", "Two tables of a database, `iceberg_tables` and `iceberg_namespace_properties`, as Iceberg's "
                    + "JDBC catalog and pyiceberg's `sql` have them. They must be there.", jdbc()))), "`path`",
            "The catalog that knows the table, in place of a folder.");

    private TableCatalog() {
    }

    private static List<FieldSpec> rest() {
        return List.of(
                required("url", TEXT, "`http://…` or `https://…`, up to what stands before `/v1`; without a user or a "
                        + "password."),
                TABLE_FIELD,
                optional("warehouse", TEXT, "the server's own", "What the server calls the catalog, where it has several."),
                optional("path", TEXT, "none", "The folder of this machine below which the table's files lie. Files elsewhere, "
                        + "as in S3, need none; those of this machine are not touched without it."),
                ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE,
                HttpFields.TOKEN_ENV, HttpFields.TOKEN_FILE, AskingFields.OAUTH2,
                optional("trust", TEXT, "the authorities that Java knows", "For `https`, certificates of the authorities that "
                        + "are believed, in PEM."));
    }

    private static List<FieldSpec> jdbc() {
        List<FieldSpec> fields = new ArrayList<>(DatabaseFields.place());
        fields.add(TABLE_FIELD);
        fields.add(required("name", TEXT, "What others call the catalog: the column `catalog_name`."));
        fields.add(required("path", TEXT, "The folder, of this machine or as `s3a://bucket/lake`, in which tables are made. "
                + "Files of this machine are touched below it alone."));
        return List.copyOf(fields);
    }

    /**
     * Which table of which catalog.
     *
     * @param settings of the connector, without the database
     * @param database null if the catalog is no database
     */
    public record Found(Map<String, Object> settings, DatabaseFields database) {
    }

    /** What is written; null after a refusal. */
    public static Found read(PlanningContext context) {
        Values fields = context.fields().fields(NAME);
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put(NAME, fields.word());
        Text table = fields.text("table");
        if (!TABLE.matcher(table.value()).matches()) {
            return context.refuse(table.place(), Rule.BAD_NAME, "`" + table.value() + "` is no table with its namespace",
                    "lake.readings: names without a point or a blank in them");
        }
        settings.put("table", table.value());
        if (fields.isWritten("path") && !folder(context, fields, settings)) {
            return null;
        }
        if (fields.word().equals("jdbc")) {
            settings.put("name", fields.string("name", ""));
            DatabaseFields database = DatabaseFields.read(context, fields);
            if (database == null) {
                return null;
            }
            settings.put("url", database.url());
            return new Found(settings, database);
        }
        return rest(context, fields, settings) ? new Found(settings, null) : null;
    }

    private static boolean folder(PlanningContext context, Values fields, Map<String, Object> settings) {
        Text path = fields.text("path");
        String folder = LocalPath.anywhere(context, path);
        if (folder != null && StandardStreams.isMeant(folder)) {
            context.refuse(path.place(), Rule.PATH, "`" + path.value() + "` is no folder", "name one");
            return false;
        }
        if (folder != null && FileAddress.isHadoops(folder) && !StoreFiles.isStore(folder)) {
            context.refuse(path.place(), Rule.PATH, "`" + path.value() + "` is in none of the stores that a catalog may name",
                    "one of " + StoreFiles.NAMES);
            return false;
        }
        if (folder != null) {
            settings.put("path", folder);
        }
        return folder != null;
    }

    private static boolean rest(PlanningContext context, Values fields, Map<String, Object> settings) {
        if (!AskingFields.isUrl(context, fields, "url") || !AskingFields.hasOneLogin(context, fields)
                || !ServerFields.login(context, fields, settings) || !ServerFields.secret(context, fields, settings, "token")) {
            return false;
        }
        settings.put("url", fields.string("url", "").replaceFirst("/+$", ""));
        String trust = SocketFields.path(context, fields, "trust");
        if (trust != null) {
            settings.put("tls", new Tls(null, null, trust));
        }
        Map<String, Text> free = new LinkedHashMap<>();
        if (fields.isWritten("warehouse")) {
            settings.put("warehouse", fields.string("warehouse", ""));
            free.put("warehouse", fields.text("warehouse"));
        }
        return (!fields.isWritten("oauth2") || client(context, fields.fields("oauth2"), settings, free))
                && free.values().stream().allMatch(each -> isText(context, each));
    }

    private static boolean client(PlanningContext context, Values oauth, Map<String, Object> settings, Map<String, Text> free) {
        Map<String, Text> form = oauth.namedTexts("form");
        for (Map.Entry<String, Text> each : form.entrySet()) {
            if (!FORM.contains(each.getKey())) {
                context.refuse(each.getValue().place(), Rule.UNKNOWN_FIELD, "a catalog's token is asked for by `scope`, "
                        + "`audience` and `resource`, and `" + each.getKey() + "` is none of them", "leave it out");
                return false;
            }
        }
        free.putAll(form);
        free.put("client_id", oauth.text("client_id"));
        settings.put("token_url", oauth.string("token_url", ""));
        settings.put("client_id", oauth.string("client_id", ""));
        settings.put("form", oauth.strings("form"));
        return ServerFields.secret(context, oauth, settings, "client_secret");
    }

    private static boolean isText(PlanningContext context, Text text) {
        if (text.value().startsWith(VARIABLE)) {
            context.refuse(text.place(), Rule.OUT_OF_RANGE, "`" + text.value() + "` would be read as the name of a variable",
                    "a secret stands in a field that ends with _env or _file");
            return false;
        }
        return true;
    }

    /** Whether the operator's table is in a catalog. */
    public static boolean isMeant(PlanningContext context) {
        return context.fields().declares(NAME) && context.fields().isWritten(NAME);
    }
}
