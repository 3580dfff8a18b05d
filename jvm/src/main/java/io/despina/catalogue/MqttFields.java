package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.ServerFields;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.plan.PlanningContext;
import io.despina.socket.ServerAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What {@code mqtt_source} and {@code mqtt_sink} share. */
final class MqttFields {
    static final String CONNECTOR = "mqtt";
    private static final Pattern BROKER = Pattern.compile("mqtts?://([A-Za-z0-9.-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?/?");
    private static final Pattern NAMED = Pattern.compile("\\{[^{}]+}");
    private static final int MOST_BYTES = 65_535;

    static final FieldSpec BROKER_FIELD = required("broker", TEXT, "Where it is: `mqtt://host:1883`, or `mqtts://host:8883` for "
            + "TLS. No user and no password belong here.");
    static final FieldSpec VERSION = or("version", words("3.1.1", "what every broker speaks", "5", "has user properties and "
            + "reason codes, and the client says how much it takes at once"), "\"5\"", "The version of MQTT.");
    static final FieldSpec QOS = or("qos", words("0", "a message is sent once, and may be lost on the way", "1", "it is sent "
            + "until it is acknowledged, and may come twice"), "\"1\"", "The quality of service.");
    static final FieldSpec KEEP_ALIVE = or("keep_alive_ms", new FieldKind.Whole(1_000, 65_535_000), "60000", "A peer that is "
            + "silent for longer counts as gone. Whole seconds.");
    static final FieldSpec CONNECT = or("connect_ms", POSITIVE_MILLIS, "5000", "How long the job waits at its start for the "
            + "broker; then it fails. Later it waits as long as the broker is away.");

    private MqttFields() {
    }

    /** A hint. What is before an @ may be a password. */
    private static String address(String given) {
        if (given.contains("@")) {
            return (given.startsWith("mqtts:") ? "mqtts://host:8883" : "mqtt://host:1883")
                    + "; `user` says who logs in, and `password_env` or `password_file` by which password";
        }
        String meant = "mqtt://" + given.replaceFirst("^tcp://", "");
        return isBroker(meant) ? "did you mean `" + meant + "`?" : "mqtt://host:1883 or mqtts://host:8883, without a path";
    }

    private static boolean isBroker(String address) {
        return BROKER.matcher(address).matches() && ServerAddress.wrong(address) == null;
    }

    /** Adds what both have; false after a refusal. */
    static boolean common(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        Text broker = fields.text("broker");
        if (!isBroker(broker.value())) {
            context.refuse(broker.place(), Rule.BAD_NAME, "this is no address of a broker", address(broker.value()));
            return false;
        }
        if (fields.isWritten("tls") && !broker.value().startsWith("mqtts:")) {
            context.refuse(fields.fields("tls").place(), Rule.EXCLUSIVE, "`tls` is for a `broker` that begins with mqtts://",
                    "write mqtts://, or leave `tls` out");
            return false;
        }
        if (!ServerFields.login(context, fields, settings) || !ServerFields.tls(context, settings)) {
            return false;
        }
        if (settings.containsKey("password") && !settings.containsKey("user")) {
            context.refuse(context.operator().place(), Rule.MISSING_FIELD, "a password needs a user", "write user or user_env");
            return false;
        }
        settings.putAll(ServerFields.texts(fields, List.of("broker", "version", "client_id")));
        settings.put("qos", Long.valueOf(fields.string("qos", "")));
        ServerFields.wholes(fields, List.of("keep_alive_ms", "connect_ms", "max_in_flight", "buffer_bytes"), settings);
        return true;
    }

    /** Whether the version has what that field wants; refuses it if not. */
    static boolean isFive(PlanningContext context, String field) {
        if (context.fields().string("version", "").equals("5")) {
            return true;
        }
        context.refuse(context.fields().place(field), Rule.EXCLUSIVE, "messages of MQTT 3.1.1 have no user properties",
                "\"version\": \"5\"");
        return false;
    }

    /** The names of levels in topic filters, in their order; null after a refusal. */
    static List<String> levels(PlanningContext context, List<Text> topics) {
        Set<String> names = new LinkedHashSet<>();
        for (Text topic : topics) {
            String problem = problem(topic.value());
            if (problem != null) {
                return context.refuse(topic.place(), Rule.BAD_NAME, "`" + topic.value() + "` is no topic filter: " + problem,
                        "plant/+/temperature, plant/#, plant/{line}/{device}/temperature");
            }
            for (String level : topic.value().split("/", -1)) {
                if (level.startsWith("{")) {
                    names.add(level.substring(1, level.length() - 1));
                }
            }
        }
        return List.copyOf(names);
    }

    private static String problem(String filter) {
        if (filter.isEmpty() || filter.length() > MOST_BYTES || filter.indexOf('\0') >= 0) {
            return "it may have 1 to 65535 characters";
        }
        if (filter.startsWith("$share/")) {
            return "`group` says with whom it is shared";
        }
        String[] levels = filter.split("/", -1);
        for (int k = 0; k < levels.length; k++) {
            String level = levels[k];
            if (level.contains("#") && (level.length() > 1 || k < levels.length - 1)) {
                return "# stands alone, as the last level";
            }
            if (level.contains("+") && level.length() > 1) {
                return "+ stands alone in a level";
            }
            if ((level.contains("{") || level.contains("}")) && !NAMED.matcher(level).matches()) {
                return "a name stands alone in a level: {line}";
            }
        }
        return null;
    }
}
