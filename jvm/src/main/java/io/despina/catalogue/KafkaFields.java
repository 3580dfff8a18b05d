package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.HttpFields;
import io.despina.catalogue.field.ServerFields;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.plan.PlanningContext;
import io.despina.socket.ServerAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What {@code kafka_source} and {@code kafka_sink} share. */
final class KafkaFields {
    static final String CONNECTOR = "kafka";
    private static final Pattern SERVERS = Pattern.compile("\\s*[^\\s,:]+:\\d{1,5}(\\s*,\\s*[^\\s,:]+:\\d{1,5})*\\s*"
            + "|\\s*\\[[0-9a-fA-F:.%]+]:\\d{1,5}(\\s*,.*)?");
    private static final String TOKEN_URL = "token_url";
    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    static final FieldSpec SERVERS_FIELD = required("bootstrap_servers", TEXT, "Some of the cluster's brokers: `host:port`, with "
            + "commas between them. The others are found by them.");
    static final FieldSpec CONNECT = or("connect_ms", POSITIVE_MILLIS, "15000", "How long the job waits at its start for the "
            + "brokers to answer; then it fails. Later it waits as long as they are away.");
    static final FieldSpec SASL = optional("sasl", new FieldKind.Fields(Section.of("sasl",
            "A login by user and password. Without `tls` both travel in the clear, but for SCRAM's password.",
            or("mechanism", words("plain", "PLAIN", "scram_sha_256", "SCRAM-SHA-256", "scram_sha_512", "SCRAM-SHA-512",
                    "oauthbearer", "OAUTHBEARER: by a token of an OAuth server, which gives it to a client with credentials: "
                    + "`user` is the client's id, and the password its secret"),
                    "\"scram_sha_512\"", "How the broker wants the password."),
            ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE,
            optional(TOKEN_URL, TEXT, "none", "For `oauthbearer`: where the OAuth server gives tokens. Of one with `https` it "
                    + "believes the certificates that Java knows; by `http` the secret travels in the clear."),
            optional("scope", TEXT, "none", "For `oauthbearer`: the scope that is asked for."))), "no login", "The login.");

    /** What fields or the engine decide; a word that ends in a dot begins many. */
    private static final Set<String> OWNED = Set.of("bootstrap.servers", "group.id", "group.instance.id", "group.protocol",
            "group.remote.assignor", "enable.auto.commit", "auto.commit.interval.ms", "auto.offset.reset",
            "partition.assignment.strategy", "key.deserializer", "value.deserializer", "key.serializer", "value.serializer",
            "max.poll.records", "max.poll.interval.ms", "metadata.max.age.ms", "fetch.max.bytes", "max.partition.fetch.bytes",
            "acks", "enable.idempotence", "transactional.id", "transaction.two.phase.commit.enable", "delivery.timeout.ms",
            "max.block.ms", "buffer.memory", "allow.auto.create.topics", "security.protocol", "interceptor.classes",
            "metric.reporters", "sasl.", "ssl.");

    private KafkaFields() {
    }

    static FieldSpec properties(String of, String example) {
        return optional("properties", new FieldKind.MapOf("[a-z0-9.]+", "property", TEXT), "none", "Further settings of Kafka's "
                + of + ", by Kafka's names, such as `" + example + "`. What fields of the operator say is refused here.");
    }

    /** Adds what all have; false after a refusal. */
    static boolean common(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        Text servers = fields.text("bootstrap_servers");
        if (!SERVERS.matcher(servers.value()).matches()) {
            context.refuse(servers.place(), Rule.BAD_NAME, "these are no addresses of brokers",
                    "host:port, with commas between them: kafka1:9092,kafka2:9092");
            return false;
        }
        settings.put("bootstrap_servers", servers.value());
        settings.put("connect_ms", fields.whole("connect_ms", 0));
        return sasl(context, fields.fields("sasl"), settings) && ServerFields.tls(context, settings)
                && properties(context, settings);
    }

    private static boolean sasl(PlanningContext context, Values sasl, Map<String, Object> settings) {
        if (sasl == null) {
            return true;
        }
        settings.put("mechanism", sasl.string("mechanism", "").toUpperCase(Locale.ROOT).replace('_', '-'));
        boolean read = ServerFields.login(context, sasl, settings);
        if (read && !(settings.containsKey("user") && settings.containsKey("password"))) {
            context.refuse(sasl.place(), Rule.MISSING_FIELD, "`sasl` needs a user and a password",
                    "user or user_env, and password_env or password_file");
            return false;
        }
        return read && oauth(context, sasl, settings);
    }

    private static boolean oauth(PlanningContext context, Values sasl, Map<String, Object> settings) {
        boolean byToken = sasl.string("mechanism", "").equals("oauthbearer");
        for (String each : List.of(TOKEN_URL, "scope")) {
            if (!byToken && sasl.isWritten(each)) {
                context.refuse(sasl.place(each), Rule.EXCLUSIVE, "`" + each + "` is for the mechanism `oauthbearer`",
                        "leave it out");
                return false;
            }
        }
        settings.putAll(ServerFields.texts(sasl, List.of(TOKEN_URL, "scope")));
        String url = sasl.string(TOKEN_URL, "");
        if (byToken && (!HttpFields.isUrl(url) || url.contains(",") || ServerAddress.wrong(url) != null)) {
            context.refuse(sasl.isWritten(TOKEN_URL) ? sasl.place(TOKEN_URL) : sasl.place(), Rule.BAD_NAME,
                    "the mechanism `oauthbearer` needs `token_url`, the address of an OAuth server",
                    "https://login.example.com/oauth2/token, without a user, a password, commas or spaces");
            return false;
        }
        return true;
    }

    private static boolean properties(PlanningContext context, Map<String, Object> settings) {
        Map<String, Text> properties = context.fields().namedTexts("properties");
        for (Map.Entry<String, Text> each : properties.entrySet()) {
            String name = each.getKey();
            if (OWNED.stream().anyMatch(owned -> owned.endsWith(".") ? name.startsWith(owned) : name.equals(owned))) {
                context.refuse(each.getValue().place(), Rule.EXCLUSIVE, "`" + name + "` cannot be set: fields of the operator "
                        + "say it, or the engine needs it as it is", "leave it out");
                return false;
            }
        }
        settings.put("properties", context.fields().strings("properties"));
        return true;
    }

    /** Whether it is a name for a topic; refuses it if not. */
    static boolean isTopic(PlanningContext context, Text topic) {
        String name = topic.value();
        if (TOPIC.matcher(name).matches() && !name.equals(".") && !name.equals("..")) {
            return true;
        }
        context.refuse(topic.place(), Rule.BAD_NAME, "`" + name + "` is no name of a topic",
                "at most 249 letters of ASCII, digits, dots, _ and -");
        return false;
    }

    static boolean areTopics(PlanningContext context, List<Text> topics) {
        for (Text topic : topics) {
            if (!isTopic(context, topic)) {
                return false;
            }
        }
        return true;
    }
}
