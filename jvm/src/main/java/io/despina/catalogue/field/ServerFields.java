package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.database.DatabaseSecret;
import io.despina.plan.PlanningContext;
import io.despina.socket.TlsFiles;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What operators of connectors share: who they are to a server, and how fields reach the connector. */
public final class ServerFields {
    public static final FieldSpec USER = optional("user", TEXT, "none", "Who logs in.");
    public static final FieldSpec USER_ENV = optional("user_env", TEXT, "none", "The variable of the resource's environment that "
            + "holds the user.");
    public static final FieldSpec PASSWORD_ENV = optional("password_env", TEXT, "none", "The variable of the resource's "
            + "environment that holds the password.");
    public static final FieldSpec PASSWORD_FILE = optional("password_file", TEXT, "none", "The file on the resource's machine "
            + "that holds the password.");

    /** Of a source. */
    public static final FieldSpec LOGIN_RETRY = or("retry_for_ms", POSITIVE_MILLIS, "120000", "How long it tries again when a "
            + "server that has let it in refuses its login, as one that begins anew may; then the job fails. For one that does "
            + "not answer it waits as long as it takes.");

    /** Where a source begins whose server numbers its records. */
    public static final FieldSpec START = or("start", new FieldKind.Variant("start", List.of(
            Section.of("earliest", "At the first record that is there."),
            Section.of("latest", "Behind the last record that is there."),
            Section.of("timestamp", "At the first record that is as late.",
                    required("at", TEXT, "The instant: `2026-11-28T18:00:00Z`.")))), "{\"type\": \"earliest\"}",
            "Where a job begins that does not go on from a state folder.");

    private ServerFields() {
    }

    /**
     * Adds the user and the password to the settings, under {@code user} and {@code password}.
     *
     * @return false after a refusal
     */
    public static boolean login(PlanningContext context, Values fields, Map<String, Object> settings) {
        if (excludes(context, fields, "user", "user_env")) {
            return false;
        }
        secret(settings, "user", fields.text("user"), DatabaseSecret.Where.HERE);
        secret(settings, "user", fields.text("user_env"), DatabaseSecret.Where.ENVIRONMENT);
        return secret(context, fields, settings, "password");
    }

    /**
     * Adds a secret that a variable has, or a file: the fields {@code NAME_env} and {@code NAME_file}.
     *
     * @return false after a refusal
     */
    public static boolean secret(PlanningContext context, Values fields, Map<String, Object> settings, String name) {
        if (excludes(context, fields, name + "_env", name + "_file")) {
            return false;
        }
        secret(settings, name, fields.text(name + "_env"), DatabaseSecret.Where.ENVIRONMENT);
        if (fields.isWritten(name + "_file")) {
            String path = SocketFields.path(context, fields, name + "_file");
            if (path == null) {
                return false;
            }
            DatabaseSecret secret = new DatabaseSecret(DatabaseSecret.Where.FILE, path);
            settings.put(name, (ConnectorSettings.HiddenText) secret::read);
        }
        return true;
    }

    static boolean excludes(PlanningContext context, Values fields, String one, String other) {
        if (fields.isWritten(one) && fields.isWritten(other)) {
            context.refuse(fields.place(other), Rule.EXCLUSIVE, "`" + one + "` and `" + other + "` exclude each other",
                    "leave one of them out");
            return true;
        }
        return false;
    }

    private static void secret(Map<String, Object> settings, String name, Text text, DatabaseSecret.Where where) {
        if (text != null) {
            DatabaseSecret secret = new DatabaseSecret(where, text.value());
            settings.put(name, (ConnectorSettings.HiddenText) secret::read);
        }
    }

    /** Adds the files of TLS, under {@code tls}. @return false after a refusal */
    public static boolean tls(PlanningContext context, Map<String, Object> settings) {
        if (!SocketFields.hasKey(context)) {
            return false;
        }
        TlsFiles files = SocketFields.tls(context);
        if (files != null) {
            settings.put("tls", new ConnectorSettings.Tls(files.certificate(), files.key(), files.trust()));
        }
        return true;
    }

    /** Adds where it begins, as {@code start} and {@code start_millis}. @return false after a refusal */
    public static boolean start(PlanningContext context, Values start, Map<String, Object> settings) {
        String word = start == null ? "earliest" : start.word();
        settings.put("start", word);
        if (word.equals("timestamp")) {
            Text at = start.text("at");
            try {
                settings.put("start_millis", OffsetDateTime.parse(at.value()).toInstant().toEpochMilli());
            } catch (DateTimeException e) {
                context.refuse(at.place(), Rule.OUT_OF_RANGE, "`" + at.value() + "` is no instant", "2026-11-28T18:00:00Z");
                return false;
            }
        }
        return true;
    }

    /** These fields, which are texts, by their names. */
    public static Map<String, Object> texts(Values fields, List<String> names) {
        Map<String, Object> settings = new LinkedHashMap<>();
        for (String name : names) {
            String value = fields.string(name, null);
            if (value != null) {
                settings.put(name, value);
            }
        }
        return settings;
    }

    /** Adds fields that are whole numbers. */
    public static void wholes(Values fields, List<String> names, Map<String, Object> settings) {
        names.forEach(name -> settings.put(name, fields.whole(name, 0)));
    }
}
