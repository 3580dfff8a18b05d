package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.ServerFields;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.plan.PlanningContext;
import io.despina.socket.ServerAddress;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What operators of Redis share. */
final class RedisFields {
    static final String CONNECTOR = "redis";
    private static final Pattern SERVER = Pattern.compile(
            "rediss?://([A-Za-z0-9.-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?(/[0-9]{0,5})?");
    private static final Pattern STREAM = Pattern.compile("\\S+");

    static final FieldSpec SERVER_FIELD = required("server", TEXT, "The server: `redis://host:6379`, with `/1` behind it for the "
            + "database 1; `rediss://host:6379` for TLS. No user and no password belong here.");
    static final FieldSpec FIELD = or("field", TEXT, "\"value\"", "Which field of an entry has the record.");
    static final FieldSpec CONNECT = or("connect_ms", POSITIVE_MILLIS, "5000", "How long the job waits at its start for the "
            + "server to answer; then it fails. Later it waits longer.");

    private RedisFields() {
    }

    /** The fields of an operator: its own, and how it logs in. */
    static List<FieldSpec> with(FieldSpec... own) {
        return Stream.concat(Stream.of(own), Stream.of(ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV,
                ServerFields.PASSWORD_FILE, SocketFields.CLIENT_TLS)).toList();
    }

    /** Adds what all have; false after a refusal. */
    static boolean common(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        Text server = fields.text("server");
        if (!SERVER.matcher(server.value()).matches() || ServerAddress.wrong(server.value()) != null) {
            context.refuse(server.place(), Rule.BAD_NAME, "`" + server.value() + "` is no address of a server",
                    "redis://host:6379, or rediss://host:6379, without a user and a password");
            return false;
        }
        if (fields.isWritten("tls") && server.value().startsWith("redis:")) {
            context.refuse(fields.fields("tls").place(), Rule.EXCLUSIVE, "`tls` is for a `server` that begins with rediss://",
                    "write rediss://, or leave `tls` out");
            return false;
        }
        if (!ServerFields.login(context, fields, settings) || !ServerFields.tls(context, settings)) {
            return false;
        }
        if (settings.containsKey("user") && !settings.containsKey("password")) {
            context.refuse(context.operator().place(), Rule.MISSING_FIELD, "a user needs a password",
                    "password_env or password_file");
            return false;
        }
        settings.putAll(ServerFields.texts(fields, List.of("server", "field")));
        ServerFields.wholes(fields, List.of("connect_ms", "buffer_bytes"), settings);
        return true;
    }

    /** Whether it is a name of a stream; refuses it if not. */
    static boolean isStream(PlanningContext context, Text name) {
        if (STREAM.matcher(name.value()).matches()) {
            return true;
        }
        context.refuse(name.place(), Rule.BAD_NAME, "`" + name.value() + "` is no name of a stream here", "without spaces");
        return false;
    }
}
