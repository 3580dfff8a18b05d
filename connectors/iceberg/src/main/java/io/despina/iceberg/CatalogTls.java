package io.despina.iceberg;

import io.despina.connect.ConnectorSettings.Tls;
import io.despina.connect.TlsContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.iceberg.rest.auth.TLSConfigurer;

/** Whom a client of a REST catalog believes. Iceberg makes it, by its name. */
public final class CatalogTls implements TLSConfigurer {
    /** The property with the file of authorities. */
    static final String TRUST = "despina.trust";

    private SSLContext context;

    @Override
    public void initialize(Map<String, String> properties) {
        try {
            context = TlsContext.of(new Tls(null, null, properties.get(TRUST)));
        } catch (IOException why) {
            throw new UncheckedIOException(why);
        }
    }

    @Override
    public SSLContext sslContext() {
        return context;
    }
}
