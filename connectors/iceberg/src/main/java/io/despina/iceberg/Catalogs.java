package io.despina.iceberg;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.ConnectorSettings.Tls;
import io.despina.connect.RefusedException;
import io.despina.iceberg.CatalogTable.Opened;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.catalog.SessionCatalog.SessionContext;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.jdbc.JdbcClientPool;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.apache.iceberg.rest.HTTPClient;
import org.apache.iceberg.rest.RESTCatalogProperties;
import org.apache.iceberg.rest.RESTSessionCatalog;
import org.apache.iceberg.rest.RESTUtil;
import org.apache.iceberg.rest.auth.AuthProperties;
import org.apache.iceberg.rest.auth.OAuth2Properties;

/** Where the fields of an operator say that its table is. */
final class Catalogs {
    private static final String CONNECT_MILLIS = "5000";
    private static final String ANSWER_MILLIS = "60000";
    private static final String TLS_BY = "rest.client.tls.configurer-impl";
    /** Settings that have classes run. */
    private static final List<String> CLASSES = List.of(TLS_BY, CatalogProperties.METRICS_REPORTER_IMPL);

    private Catalogs() {
    }

    static TableHome home(ConnectorSettings settings) {
        if (!settings.has("catalog")) {
            return new TableFolder(settings.text("path"));
        }
        String path = settings.has("path") ? settings.text("path") : null;
        TableFiles files = new TableFiles(path == null || path.contains("://") ? null : Path.of(path));
        CatalogTable.Opening opening = settings.text("catalog").equals("rest") ? () -> rest(settings, files)
                : () -> database(settings, files);
        return new CatalogTable(opening, TableIdentifier.parse(settings.text("table")), files);
    }

    private static Opened rest(ConnectorSettings settings, TableFiles files) throws IOException {
        Map<String, String> properties = new HashMap<>(login(settings));
        properties.put(CatalogProperties.URI, settings.text("url"));
        properties.put(RESTCatalogProperties.METRICS_REPORTING_ENABLED, "false");
        properties.put("rest.client.connection-timeout-ms", CONNECT_MILLIS);
        properties.put("rest.client.socket-timeout-ms", ANSWER_MILLIS);
        properties.put("rest.client.max-retries", "1");     // the operator tries again itself, and says so
        if (settings.has("warehouse")) {
            properties.put(CatalogProperties.WAREHOUSE_LOCATION, settings.text("warehouse"));
        }
        if (settings.has("tls")) {
            Tls tls = settings.tls("tls");
            properties.put(TLS_BY, CatalogTls.class.getName());
            properties.put(CatalogTls.TRUST, tls.trust());
        }
        RESTSessionCatalog catalog = new RESTSessionCatalog(with -> client(properties, with), (context, with) -> files);
        try {
            catalog.initialize("despina", properties);
        } catch (RuntimeException why) {
            catalog.close();
            throw why;
        }
        return new Opened(catalog.asCatalog(SessionContext.createEmpty()), catalog);
    }

    /**
     * What a catalog answers to the first question counts more than what was said here. But it may neither say where the secret
     * is sent for a token, nor which classes run.
     */
    private static HTTPClient client(Map<String, String> own, Map<String, String> with) {
        CLASSES.forEach(each -> mustBeOwn(each, own, with));
        if (own.containsKey(OAuth2Properties.OAUTH2_SERVER_URI)) {
            mustBeOwn(OAuth2Properties.OAUTH2_SERVER_URI, own, with);
        }
        return HTTPClient.builder(with).uri(with.get(CatalogProperties.URI)).withHeaders(RESTUtil.configHeaders(with)).build();
    }

    private static void mustBeOwn(String name, Map<String, String> own, Map<String, String> with) {
        if (!Objects.equals(own.get(name), with.get(name))) {
            throw new UncheckedIOException(new RefusedException("the catalog wants " + name + "=" + with.get(name)
                    + ", which it may not say", null));
        }
    }

    /** Secrets are read each time that it connects. */
    private static Map<String, String> login(ConnectorSettings settings) throws IOException {
        if (settings.has("token")) {
            return Map.of(AuthProperties.AUTH_TYPE, AuthProperties.AUTH_TYPE_OAUTH2, OAuth2Properties.TOKEN,
                    settings.secret("token").read(), OAuth2Properties.TOKEN_REFRESH_ENABLED, "false");
        }
        if (settings.has("client_secret")) {
            Map<String, String> login = new HashMap<>(settings.named("form"));
            login.put(AuthProperties.AUTH_TYPE, AuthProperties.AUTH_TYPE_OAUTH2);
            login.put(OAuth2Properties.OAUTH2_SERVER_URI, settings.text("token_url"));
            login.put(OAuth2Properties.CREDENTIAL, settings.text("client_id") + ":" + settings.secret("client_secret").read());
            return login;
        }
        if (settings.has("user")) {
            return Map.of(AuthProperties.AUTH_TYPE, AuthProperties.AUTH_TYPE_BASIC, AuthProperties.BASIC_USERNAME,
                    settings.secret("user").read(), AuthProperties.BASIC_PASSWORD, settings.secret("password").read());
        }
        return Map.of(AuthProperties.AUTH_TYPE, AuthProperties.AUTH_TYPE_NONE);
    }

    private static Opened database(ConnectorSettings settings, TableFiles files) {
        ConnectorSettings.UserDatabase database = settings.database("database");
        String path = settings.text("path");
        OneConnection connection = new OneConnection(database);
        JdbcCatalog catalog = new JdbcCatalog(with -> files, with -> connection, false);
        try {
            catalog.initialize(settings.text("name"), Map.of(CatalogProperties.URI, "by the driver",
                    CatalogProperties.WAREHOUSE_LOCATION, path.contains("://") ? path : "file://" + path));
        } catch (RuntimeException why) {
            connection.close();
            throw why;
        }
        return new Opened(catalog, catalog);
    }

    /** To the user's database, whose driver this class loader does not see. */
    private static final class OneConnection extends JdbcClientPool {
        private final ConnectorSettings.UserDatabase database;

        OneConnection(ConnectorSettings.UserDatabase database) {
            super(1, "", Map.of());
            this.database = database;
        }

        /**
         * No statement is sent again by another connection: an UPDATE that was carried out finds no row then, which Iceberg takes
         * for another writer's version, and deletes what its own names.
         */
        @Override
        protected boolean isConnectionException(Exception why) {
            return false;
        }

        @Override
        protected Connection newClient() {
            try {
                return database.connect();
            } catch (SQLException why) {
                throw new UncheckedSQLException(why, "no connection to the catalog");
            }
        }
    }
}
