package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.database.DatabaseSecret;
import io.despina.operator.record.registry.Registration;
import io.despina.plan.PlanningContext;
import io.despina.registry.RegistryPlace;
import io.despina.socket.HttpLogin;
import io.despina.socket.ServerAddress;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import io.despina.spec.FileFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The field {@code registry}: where schemas are, and who asks for them. */
public final class RegistryFields {
    private static final String NAME = RecordSchemas.REGISTRY;
    private static final String REGISTER = "register";
    private static final String WRITES = "A schema registry, by the REST calls of Confluent's. Each record of avro or protobuf "
            + "begins with the number of its schema."
            + "\n- The schema of avro is that of the option `schemaFile` or `avroSchema`, or else of the columns."
            + "\n- That of protobuf is the newest of the subject when the job starts; a record is its message `messageName` of "
            + "`options`, or else its first."
            + "\n- A registry that is away is waited for, for `retry_for_ms`.";
    private static final String HAS_SCHEMA = "The registry that has the schema of the records.";
    private static final Pattern URL = Pattern.compile("https?://[^/\\s?#@]+(?:/[^\\s?#]*)?");
    private static final String[][] PAIRS = {{"token_env", "token_file"}, {"user", "user_env"},
            {"password_env", "password_file"}};
    private static final List<FieldSpec> WHERE = List.of(
            required("url", TEXT, "`http://…` or `https://…`, without a user or a password."),
            ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE,
            optional("token_env", TEXT, "no token", "In place of user and password, the environment variable that holds a token, "
                    + "which goes into `Authorization: Bearer …`."),
            optional("token_file", TEXT, "no token", "In its place, the file that holds the token."),
            optional("trust", TEXT, "the authorities that Java knows", "For `https`, certificates of the authorities that are "
                    + "believed, in PEM."));

    /** Of a source. */
    public static final FieldSpec READ = optional(NAME, new FieldKind.Fields(Section.of(NAME,
            "A schema registry, by the REST calls of Confluent's. Each record of avro or protobuf begins with the number of its "
            + "schema."
            + "\n- A schema is fetched when its number comes first. While the registry is away, the records wait."
            + "\n- A record whose schema the registry does not have, or that cannot be read as the columns, is a bad one."
            + "\n- A record of protobuf is of the message `messageName` of `options`, or else of the first of its schema.",
            WHERE.toArray(FieldSpec[]::new))), "none", "The registry that has the schemas of the records.");

    /** Of a sink. */
    public static final FieldSpec WRITE = optional(NAME, new FieldKind.Fields(Section.of(NAME, WRITES, sink(false))), "none",
            HAS_SCHEMA);

    /** Of a sink whose topics are no names of subjects. */
    public static final FieldSpec WRITE_NAMED = optional(NAME, new FieldKind.Fields(Section.of(NAME, WRITES, sink(true))),
            "none", HAS_SCHEMA);

    private RegistryFields() {
    }

    private static FieldSpec[] sink(boolean named) {
        List<FieldSpec> fields = new ArrayList<>(WHERE);
        String doc = "The subject under which the registry has the schema.";
        fields.add(named ? required("subject", TEXT, doc) : optional("subject", TEXT, "`topic`-value", doc
                + " Required with `topic_by`."));
        fields.add(or(REGISTER, new FieldKind.Flag(), "true", "Whether the schema is registered if the subject does not "
                + "have it. With false the job then fails, and so it does with protobuf."));
        return fields.toArray(FieldSpec[]::new);
    }

    private static boolean isProtobuf(PlanningContext context) {
        return context.fields().constant("format", FileFormat.class) == FileFormat.PROTOBUF;
    }

    /** Whether what is written of it can be used; it may not be written at all. */
    public static boolean areRight(PlanningContext context) {
        Values fields = RecordSchemas.hasRegistry(context.fields()) ? context.fields().fields(NAME) : null;
        if (fields == null) {
            return true;
        }
        String url = fields.string("url", "");
        String wrong = URL.matcher(url).matches() ? ServerAddress.wrong(url) : "";
        if (wrong != null) {
            context.refuse(fields.place("url"), Rule.PATH, "this is no URL of a registry" + wrong,
                    "http://host:8081, without a user, a password, a query or spaces");
            return false;
        }
        if (isProtobuf(context) && fields.declares(REGISTER) && fields.isWritten(REGISTER) && fields.flag(REGISTER)) {
            context.refuse(fields.place(REGISTER), Rule.EXCLUSIVE, "a schema of protobuf is not registered by a sink: it is a "
                    + ".proto file, which is registered by other means", "leave `register` out");
            return false;
        }
        boolean token = fields.isWritten("token_env") || fields.isWritten("token_file");
        boolean user = fields.isWritten("user") || fields.isWritten("user_env");
        boolean password = fields.isWritten("password_env") || fields.isWritten("password_file");
        for (String[] pair : PAIRS) {
            if (ServerFields.excludes(context, fields, pair[0], pair[1])) {
                return false;
            }
        }
        if (user != password || token && user) {
            context.refuse(fields.place(), token ? Rule.EXCLUSIVE : Rule.MISSING_FIELD, token
                    ? "a `registry` has a token, or a user and a password" : "a login needs a user and a password",
                    "user or user_env, and password_env or password_file; or token_env");
            return false;
        }
        return true;
    }

    /** Where it is, once {@link #areRight}; null without. */
    public static RegistryPlace place(PlanningContext context) {
        Values fields = RecordSchemas.hasRegistry(context.fields()) ? context.fields().fields(NAME) : null;
        if (fields == null) {
            return null;
        }
        String trust = SocketFields.path(context, fields, "trust");
        return new RegistryPlace(fields.string("url", "").replaceFirst("/+$", ""), login(context, fields),
                trust == null ? null : new TlsFiles(null, null, trust));
    }

    private static RegistryPlace.Login login(PlanningContext context, Values fields) {
        String token = fields.string("token_env", null);
        String file = SocketFields.path(context, fields, "token_file");
        if (token != null || file != null) {
            TokenPlace at = new TokenPlace(token, file);
            return () -> "Bearer " + at.read();
        }
        DatabaseSecret user = fields.isWritten("user_env")
                ? new DatabaseSecret(DatabaseSecret.Where.ENVIRONMENT, fields.string("user_env", ""))
                : new DatabaseSecret(DatabaseSecret.Where.HERE, fields.string("user", ""));
        DatabaseSecret password = fields.isWritten("password_env")
                ? new DatabaseSecret(DatabaseSecret.Where.ENVIRONMENT, fields.string("password_env", ""))
                : new DatabaseSecret(DatabaseSecret.Where.FILE, SocketFields.path(context, fields, "password_file"));
        return fields.isWritten("user") || fields.isWritten("user_env")
                ? () -> HttpLogin.basic(user.read(), password.read()) : null;
    }

    /** How a sink gets the number of its schema; null without a registry. */
    public static Registration registration(PlanningContext context) {
        RegistryPlace place = place(context);
        if (place == null) {
            return null;
        }
        Values fields = context.fields().fields(NAME);
        return new Registration(place, fields.string("subject", context.fields().string("topic", "") + "-value"),
                fields.flag(REGISTER) && !isProtobuf(context));
    }

    /** Whether a sink knows the subject: it may not have a registry at all. */
    public static boolean hasSubject(PlanningContext context) {
        Values fields = RecordSchemas.hasRegistry(context.fields()) ? context.fields().fields(NAME) : null;
        if (fields == null || fields.isWritten("subject") || context.fields().isWritten("topic")) {
            return true;
        }
        context.refuse(fields.place(), Rule.MISSING_FIELD,
                "with `topic_by`, a `registry` needs the `subject` that has the schema",
                "\"subject\": \"readings-value\"");
        return false;
    }
}
