package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Text;
import io.despina.plan.PlanningContext;
import io.despina.socket.TokenPlace;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The fields of operators that send requests over HTTP. */
public final class HttpFields {
    private static final Pattern URL = Pattern.compile("https?://[^/\\s?#@]+(?:[/?][^\\s#]*)?");
    private static final String HEADER = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

    public static final FieldSpec HEADERS = optional("headers", new FieldKind.MapOf(HEADER, "header", TEXT), "none",
            "Headers of every request.");
    public static final FieldSpec HEADERS_ENV = optional("headers_env", new FieldKind.MapOf(HEADER, "header", TEXT), "none",
            "Headers whose value is a secret: the environment variable that holds it, in the process that hosts the operator.");
    public static final FieldSpec TOKEN_ENV = optional("token_env", TEXT, "no token", "The environment variable that holds a "
            + "token, which goes into `Authorization: Bearer …`.");
    public static final FieldSpec TOKEN_FILE = optional("token_file", TEXT, "no token", "In its place, the file that holds the "
            + "token.");

    private HttpFields() {
    }

    /** Whether it is one of a server, with no login in it. */
    public static boolean isUrl(String url) {
        return URL.matcher(url).matches();
    }

    /** Where the secrets are that a field names, by name. */
    public static Map<String, TokenPlace> secrets(PlanningContext context, String field) {
        Map<String, TokenPlace> secrets = new LinkedHashMap<>();
        for (Map.Entry<String, Text> each : context.fields().namedTexts(field).entrySet()) {
            secrets.put(each.getKey(), new TokenPlace(each.getValue().value(), null));
        }
        return secrets;
    }
}
