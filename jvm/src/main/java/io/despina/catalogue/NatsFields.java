package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
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

/** What operators of NATS share. */
final class NatsFields {
    static final String CONNECTOR = "nats";
    private static final String SERVER = "(nats|tls)://([A-Za-z0-9.-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?";
    private static final Pattern SERVERS = Pattern.compile(SERVER + "(\\s*,\\s*" + SERVER + ")*");
    private static final Pattern STREAM = Pattern.compile("[^\\s.*>/\\\\]{1,255}");
    private static final Pattern SUBJECT = Pattern.compile("[^\\s.]+(\\.[^\\s.]+)*");

    static final FieldSpec SERVERS_FIELD = required("servers", TEXT, "The cluster's servers, or some of them: "
            + "`nats://host:4222`, with commas between several; `tls://host:4222` for TLS. No user and no password belong here.");
    static final FieldSpec CONNECT = or("connect_ms", POSITIVE_MILLIS, "5000", "How long the job waits at its start for the "
            + "servers to answer; then it fails. Later it waits as long as they are away.");

    /** Who logs in: one of three ways. */
    private static final List<FieldSpec> LOGIN = List.of(
            ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE,
            optional("token_env", TEXT, "none", "The variable of the resource's environment that holds a token, in place of a "
                    + "user and a password."),
            optional("token_file", TEXT, "none", "The file on the resource's machine that holds it."),
            optional("credentials_env", TEXT, "none", "The variable of the resource's environment that holds what is in a "
                    + "credentials file (`.creds`: a JWT, and the seed of its key), or the seed of an NKey alone."),
            optional("credentials_file", TEXT, "none", "The file on the resource's machine that holds it."));

    private NatsFields() {
    }

    /** The fields of an operator: its own, and how it logs in. */
    static List<FieldSpec> with(FieldSpec... own) {
        return Stream.of(Stream.of(own), LOGIN.stream(), Stream.of(SocketFields.CLIENT_TLS)).flatMap(each -> each).toList();
    }

    /** Adds what all have; false after a refusal. */
    static boolean common(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        Text servers = fields.text("servers");
        if (!SERVERS.matcher(servers.value()).matches()
                || !Stream.of(servers.value().split("\\s*,\\s*")).allMatch(each -> ServerAddress.wrong(each) == null)) {
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
        if (stream != null && !isStream(context, stream)) {
            return false;
        }
        if (!login(context, settings) || !ServerFields.tls(context, settings)) {
            return false;
        }
        settings.put("servers", servers.value().replaceAll("\\s", ""));
        settings.putAll(ServerFields.texts(fields, List.of("stream")));
        ServerFields.wholes(fields, List.of("connect_ms", "buffer_bytes"), settings);
        return true;
    }

    private static boolean login(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        if (!ServerFields.login(context, fields, settings) || !ServerFields.secret(context, fields, settings, "token")
                || !ServerFields.secret(context, fields, settings, "credentials")) {
            return false;
        }
        if (settings.containsKey("user") != settings.containsKey("password")) {
            context.refuse(context.operator().place(), Rule.MISSING_FIELD, "a login needs a user and a password",
                    "user or user_env, and password_env or password_file");
            return false;
        }
        if (Stream.of("user", "token", "credentials").filter(settings::containsKey).count() > 1) {
            context.refuse(context.operator().place(), Rule.EXCLUSIVE, "there is one login: a user and a password, a token, or "
                    + "credentials", "leave the others out");
            return false;
        }
        return true;
    }

    /** Whether it is a name of a stream; refuses it if not. */
    static boolean isStream(PlanningContext context, Text stream) {
        if (STREAM.matcher(stream.value()).matches()) {
            return true;
        }
        context.refuse(stream.place(), Rule.BAD_NAME, "`" + stream.value() + "` is no name of a stream",
                "without spaces, dots, *, > and slashes");
        return false;
    }

    /** Whether it is a subject, maybe with * and >; refuses it if not. */
    static boolean isFilter(PlanningContext context, Text subject) {
        String text = subject.value();
        return isRight(text, true) || refused(context, subject, "plant.north.temperature, plant.*.temperature, plant.>");
    }

    /** Whether messages can be sent there; refuses it if not. @param text what is looked at of the subject */
    static boolean isSubject(PlanningContext context, Text subject, String text) {
        return isRight(text, false) || refused(context, subject, "plant.north.temperature, without spaces, * and >");
    }

    /** Whether it is a name of a group; refuses it if not. */
    static boolean isGroup(PlanningContext context, Text group) {
        if (isRight(group.value(), false)) {
            return true;
        }
        context.refuse(group.place(), Rule.BAD_NAME, "`" + group.value() + "` is no name of a group", "without spaces, * and >");
        return false;
    }

    private static boolean isRight(String text, boolean wild) {
        boolean right = SUBJECT.matcher(text).matches() && text.indexOf('{') < 0 && text.indexOf('}') < 0;
        for (String token : text.split("\\.", -1)) {
            boolean isWild = token.equals("*") || token.equals(">") && text.endsWith(">")
                    && text.indexOf('>') == text.length() - 1;
            right &= wild && isWild || token.indexOf('*') < 0 && token.indexOf('>') < 0;
        }
        return right;
    }

    private static boolean refused(PlanningContext context, Text subject, String hint) {
        context.refuse(subject.place(), Rule.BAD_NAME, "`" + subject.value() + "` is no subject", hint);
        return false;
    }
}
