package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.database.DatabaseSecret;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.plan.PlanningContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What {@code connector_source} and {@code connector_sink} share. */
final class ConnectorFields {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,40}");
    private static final String SETTINGS = "settings";

    static final FieldSpec CONNECTOR = required("connector", TEXT, "The connector's name: its jar is `despina-NAME.jar`, beside "
            + "the engine's jar on each machine that runs the operator, or in a folder of the Java property "
            + "`despina.connectors`. A graph can name no jar that its machine's owner has not put there.");
    static final FieldSpec SETTINGS_FIELD = optional(SETTINGS, new FieldKind.MapOf(null, "setting", TEXT), "none",
            "What the connector wants to know, as it says itself.");
    static final FieldSpec SECRETS = optional("secrets_env", new FieldKind.MapOf(null, "secret", TEXT), "none", "Settings that "
            + "are secrets: the environment variable that holds each, in the process that hosts the operator.");
    static final SparkGap GAP = new SparkGap("a connector of yours runs in the engine", "run the graph on the engine; a source "
            + "can be given a DataFrame in its place: to_spark(spark, inputs={…})");

    private ConnectorFields() {
    }

    /** The settings for the connector; null after a refusal. */
    static Map<String, Object> settings(PlanningContext context) {
        Values fields = context.fields();
        Text name = fields.text("connector");
        if (!NAME.matcher(name.value()).matches()) {
            return context.refuse(name.place(), Rule.BAD_NAME, "`" + name.value() + "` is no name of a connector",
                    "small letters, digits and _: its jar is despina-NAME.jar");
        }
        Map<String, Object> settings = new LinkedHashMap<>();
        Map<String, String> given = fields.strings(SETTINGS);
        settings.put(SETTINGS, Map.copyOf(given));
        for (Map.Entry<String, Text> each : fields.namedTexts("secrets_env").entrySet()) {
            if (given.containsKey(each.getKey()) || each.getKey().equals(SETTINGS)) {
                return context.refuse(each.getValue().place(), Rule.EXCLUSIVE, "`" + each.getKey()
                        + "` is a setting and a secret", "give it another name");
            }
            DatabaseSecret secret = new DatabaseSecret(DatabaseSecret.Where.ENVIRONMENT, each.getValue().value());
            settings.put(each.getKey(), (ConnectorSettings.HiddenText) secret::read);
        }
        return settings;
    }
}
