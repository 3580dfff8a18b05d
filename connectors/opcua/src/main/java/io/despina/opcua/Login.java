package io.despina.opcua;

import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import org.eclipse.milo.opcua.sdk.client.api.identity.AnonymousProvider;
import org.eclipse.milo.opcua.sdk.client.api.identity.IdentityProvider;
import org.eclipse.milo.opcua.sdk.client.api.identity.UsernameProvider;
import org.eclipse.milo.opcua.stack.core.security.SecurityPolicy;
import org.eclipse.milo.opcua.stack.core.types.structured.EndpointDescription;

/**
 * Who the source is to a server.
 *
 * @param endpoint the server's, at the address that the graph has
 * @param session  the name of sessions, as the server lists them
 */
record Login(ConnectorSettings settings, Certificates certificates, EndpointDescription endpoint, String session) {

    /** Whether messages are signed. */
    boolean isSecure() {
        return policy() != SecurityPolicy.None;
    }

    SecurityPolicy policy() {
        return Endpoints.policy(settings);
    }

    /** Whether a password travels in the clear. */
    boolean isOpen() {
        return settings.has("user") && Endpoints.isOpen(endpoint);
    }

    /** @throws IOException if the user or the password is not where the graph says; the message says so */
    IdentityProvider user() throws IOException {
        return !settings.has("user") ? AnonymousProvider.INSTANCE : new UsernameProvider(settings.secret("user").read(),
                settings.secret("password").read(), certificates, Endpoints::login);
    }
}
