package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.asking.AskedServer;
import io.despina.connect.ConnectorSettings.HiddenText;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.database.DatabaseSecret;
import io.despina.plan.PlanningContext;
import io.despina.socket.ServerAddress;
import io.despina.socket.TokenPlace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of sources that ask a server over HTTP. */
public final class AskingFields {
    public static final FieldSpec URL = required("url", TEXT, "`http://…` or `https://…`, without a user or a password.");
    public static final FieldSpec PARAMETERS_ENV = optional("parameters_env", new FieldKind.MapOf("[A-Za-z0-9_.~-]+",
            "parameter", TEXT), "none", "Parameters of the URL's query whose value is a secret: the environment variable that "
            + "holds it, in the process that hosts the operator.");
    public static final FieldSpec OAUTH2 = optional("oauth2", new FieldKind.Fields(Section.of("oauth2",
            "OAuth 2.0's client credentials: a token server gives a token. A new one is asked for when nine tenths of its life "
            + "are over, and when the server answers 401.",
            required("token_url", TEXT, "The token server's URL."),
            required("client_id", TEXT, "Who asks there."),
            optional("client_secret_env", TEXT, "none", "The environment variable that holds the client's secret."),
            optional("client_secret_file", TEXT, "none", "In its place, the file that holds it."),
            optional("form", new FieldKind.MapOf(null, "field", TEXT), "none", "What else is posted to it: "
                    + "`{\"scope\": \"read\"}`."))), "none", "How a token is got.");
    public static final FieldSpec TIMEOUT = or("timeout_ms", POSITIVE_MILLIS, "30000", "How long it waits for an answer, and for "
            + "each further part of it.");
    public static final FieldSpec RETRY = or("retry_for_ms", MILLIS, "600000", "How long it asks again while the server is away "
            + "or fails; then the job fails. It waits 25 to 50 ms at first, twice as long each time, at most 10 s, or as long as "
            + "`Retry-After` says.");
    private static final String[][] PAIRS = {{"token_env", "token_file"}, {"user", "user_env"},
            {"password_env", "password_file"}};

    private AskingFields() {
    }

    /** All that say where to ask and who does. */
    public static List<FieldSpec> server() {
        return List.of(HttpFields.HEADERS, HttpFields.HEADERS_ENV, PARAMETERS_ENV, HttpFields.TOKEN_ENV, HttpFields.TOKEN_FILE,
                ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE, OAUTH2,
                SocketFields.CLIENT_TLS, TIMEOUT, RETRY);
    }

    /** Where to ask; null after a refusal. */
    public static AskedServer server(PlanningContext context) {
        Values fields = context.fields();
        if (!isUrl(context, fields, "url") || !SocketFields.hasKey(context) || !hasOneLogin(context, fields)) {
            return null;
        }
        AskedServer.ServerLogin login = login(context);
        return new AskedServer(fields.string("url", ""), fields.strings("headers"),
                new AskedServer.Secrets(hidden(context, "headers_env"), hidden(context, "parameters_env")), login,
                SocketFields.tls(context), new AskedServer.Times(fields.whole("timeout_ms", 0), fields.whole("retry_for_ms", 0)));
    }

    /** Whether the URL does not have the parameter that a section names. @param hint what to do if it has */
    public static boolean isFree(PlanningContext context, Values section, String hint) {
        String parameter = section.string("parameter", "");
        String query = context.fields().string("url", "").replaceFirst("^[^?]*\\??", "&");
        if (query.contains("&" + parameter + "=")) {
            context.refuse(section.place("parameter"), Rule.EXCLUSIVE, "`url` has the parameter `" + parameter + "` already",
                    hint);
            return false;
        }
        return true;
    }

    static boolean isUrl(PlanningContext context, Values fields, String name) {
        String url = fields.string(name, "");
        String wrong = HttpFields.isUrl(url) ? ServerAddress.wrong(url) : "";
        if (wrong != null) {
            context.refuse(fields.place(name), Rule.PATH, "this is no URL that can be asked" + wrong,
                    "http://host:port/path, without a user, a password, a fragment or spaces");
        }
        return wrong == null;
    }

    private static Map<String, HiddenText> hidden(PlanningContext context, String field) {
        Map<String, HiddenText> hidden = new LinkedHashMap<>();
        HttpFields.secrets(context, field).forEach((name, place) -> hidden.put(name, place::read));
        return hidden;
    }

    /** Whether fields of a login go together. */
    static boolean hasOneLogin(PlanningContext context, Values fields) {
        for (String[] pair : PAIRS) {
            if (ServerFields.excludes(context, fields, pair[0], pair[1])) {
                return false;
            }
        }
        boolean user = fields.isWritten("user") || fields.isWritten("user_env");
        boolean password = fields.isWritten("password_env") || fields.isWritten("password_file");
        if (user != password) {
            context.refuse(fields.place(), Rule.MISSING_FIELD, "a login needs a user and a password",
                    "user or user_env, and password_env or password_file");
            return false;
        }
        List<String> logins = new ArrayList<>();
        for (String name : new String[] {"token_env", "token_file", "user", "user_env", "oauth2"}) {
            if (fields.isWritten(name)) {
                logins.add(name);
            }
        }
        if (logins.size() > 1) {
            context.refuse(fields.place(logins.get(1)), Rule.EXCLUSIVE, "`" + logins.get(0) + "` and `" + logins.get(1)
                    + "` exclude each other: both make the header Authorization", "leave one of them out");
            return false;
        }
        return !fields.isWritten("oauth2") || isClient(context, fields.fields("oauth2"));
    }

    private static boolean isClient(PlanningContext context, Values oauth) {
        if (!isUrl(context, oauth, "token_url")) {
            return false;
        }
        if (oauth.isWritten("client_secret_env") == oauth.isWritten("client_secret_file")) {
            context.refuse(oauth.place(), oauth.isWritten("client_secret_env") ? Rule.EXCLUSIVE : Rule.MISSING_FIELD,
                    "`oauth2` needs one place of its client's secret", "client_secret_env or client_secret_file");
            return false;
        }
        return true;
    }

    private static AskedServer.ServerLogin login(PlanningContext context) {
        Values fields = context.fields();
        TokenPlace token = SocketFields.token(context);
        if (token != null) {
            return new AskedServer.BearerLogin(token::read);
        }
        Values oauth = fields.fields("oauth2");
        if (oauth != null) {
            TokenPlace secret = new TokenPlace(oauth.string("client_secret_env", null),
                    SocketFields.path(context, oauth, "client_secret_file"));
            return new AskedServer.ClientLogin(oauth.string("token_url", ""), oauth.string("client_id", ""), secret::read,
                    oauth.strings("form"));
        }
        if (!fields.isWritten("user") && !fields.isWritten("user_env")) {
            return null;
        }
        DatabaseSecret user = fields.isWritten("user")
                ? new DatabaseSecret(DatabaseSecret.Where.HERE, fields.string("user", ""))
                : new DatabaseSecret(DatabaseSecret.Where.ENVIRONMENT, fields.string("user_env", ""));
        DatabaseSecret password = fields.isWritten("password_env")
                ? new DatabaseSecret(DatabaseSecret.Where.ENVIRONMENT, fields.string("password_env", ""))
                : new DatabaseSecret(DatabaseSecret.Where.FILE, SocketFields.path(context, fields, "password_file"));
        return new AskedServer.BasicLogin(user::read, password::read);
    }
}
