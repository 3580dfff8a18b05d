package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.ServerFields;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.plan.PlanningContext;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What operators of NATS share. */
final class NatsFields {
    static final String CONNECTOR = "nats";
    private static final String SERVER = "(nats|tls)://([A-Za-z0-9.-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?";
    private static final Pattern SERVERS = Pattern.compile(SERVER + "(\\s*,\\s*" + SERVER + ")*");
    private static final Pattern STREAM = Pattern.compile("[^\\s.*>/\\\\]{1,255}");
    private static final Pattern SUBJECT = Pattern.compile("[^\\s.]+(\\.[^\\s.]+)*");

    static final FieldSpec SERVERS_FIELD = required("servers", TEXT, "The cluster's servers, or some of them: "
            + "`nats://host:4222`, with commas between several; `tls://host:4222` for TLS. No user and no password belong here.");
    static final FieldSpec STREAM_FIELD = required("stream", TEXT, "The stream of JetStream. It must "
            + "be there when the job starts.");
    static final FieldSpec CONNECT = or("connect_ms", POSITIVE_MILLIS, "5000", "How long the job waits at its start for the "
            + "servers to answer; then it fails. Later it waits as long as they are away.");

    private NatsFields() {
    }

    /** Adds what all have; false after a refusal. */
    static boolean common(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        Text servers = fields.text("servers");
        if (!SERVERS.matcher(servers.value()).matches()) {
            context.refuse(servers.place(), Rule.BAD_NAME, "these are no addresses of servers",
                    "nats://host:4222, or tls://host:4222, without a user, a password or a path; commas between several");
            return false;
        }
        if (fields.isWritten("tls") && servers.value().contains("nats://")) {
            context.refuse(fields.fields("tls").place(), Rule.EXCLUSIVE, "`tls` is for `servers` that begin with tls://",
                    "write tls://, or leave `tls` out");
            return false;
        }
        Text stream = fields.text("stream");
        if (!STREAM.matcher(stream.value()).matches()) {
            context.refuse(stream.place(), Rule.BAD_NAME, "`" + stream.value() + "` is no name of a stream",
                    "without spaces, dots, *, > and slashes");
            return false;
        }
        if (!ServerFields.login(context, fields, settings) || !ServerFields.tls(context, settings)) {
            return false;
        }
        if (settings.containsKey("user") != settings.containsKey("password")) {
            context.refuse(context.operator().place(), Rule.MISSING_FIELD, "a login needs a user and a password",
                    "user or user_env, and password_env or password_file");
            return false;
        }
        settings.put("servers", servers.value().replaceAll("\\s", ""));
        settings.putAll(ServerFields.texts(fields, List.of("stream")));
        ServerFields.wholes(fields, List.of("connect_ms", "buffer_bytes"), settings);
        return true;
    }

    /** Whether it is a subject, if need be with * and >; refuses it if not. */
    static boolean isSubject(PlanningContext context, Text subject, boolean wild) {
        String text = subject.value();
        boolean right = SUBJECT.matcher(text).matches();
        for (String token : text.split("\\.", -1)) {
            boolean isWild = token.equals("*") || token.equals(">") && text.endsWith(">")
                    && text.indexOf('>') == text.length() - 1;
            right &= wild && isWild || token.indexOf('*') < 0 && token.indexOf('>') < 0;
        }
        if (!right) {
            context.refuse(subject.place(), Rule.BAD_NAME, "`" + text + "` is no subject", wild
                    ? "plant.north.temperature, plant.*.temperature, plant.>" : "plant.north.temperature, without * and >");
        }
        return right;
    }
}
