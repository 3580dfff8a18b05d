package io.despina.opcua;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;
import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.ushort;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import java.io.Closeable;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.eclipse.milo.opcua.stack.client.DiscoveryClient;
import org.eclipse.milo.opcua.stack.client.UaStackClient;
import org.eclipse.milo.opcua.stack.client.UaStackClientConfig;
import org.eclipse.milo.opcua.stack.client.UaStackClientConfigBuilder;
import org.eclipse.milo.opcua.stack.core.AttributeId;
import org.eclipse.milo.opcua.stack.core.Identifiers;
import org.eclipse.milo.opcua.stack.core.NamespaceTable;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.channel.EncodingLimits;
import org.eclipse.milo.opcua.stack.core.serialization.SerializationContext;
import org.eclipse.milo.opcua.stack.core.serialization.UaRequestMessage;
import org.eclipse.milo.opcua.stack.core.serialization.UaResponseMessage;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;
import org.eclipse.milo.opcua.stack.core.types.structured.CloseSessionRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.CloseSessionResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.EndpointDescription;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.RequestHeader;
import org.eclipse.milo.opcua.stack.core.util.CertificateUtil;
import org.eclipse.milo.opcua.stack.core.util.EndpointUtil;

/**
 * A connection to a server, with a session. It is not mended when it breaks: its user makes another one, and so knows that
 * messages may be missing.
 */
final class Link implements Closeable {
    private static final int CHUNK_BYTES = 65_535;
    /** Of an answer: 1,000 values that are long. */
    private static final int MESSAGE_BYTES = 64 << 20;
    private static final int DEPTH = 64;
    private static final long CLOSE_MS = 2_000;
    private static final long ALIVE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Login login;
    private final UaStackClient client;
    private final long millis;
    private Session session;
    private boolean resumed;
    private long asked = System.nanoTime();
    /** Written by the client's threads. */
    private volatile boolean broken;

    private Link(Login login, UaStackClient client, long millis) {
        this.login = login;
        this.client = client;
        this.millis = millis;
    }

    /**
     * Connects, and logs in. Blocks.
     *
     * @param name   of the session, as the server lists it
     * @param before the session of an earlier connection, which is gone on with if the server still has it; null if there is none
     * @param millis how long each answer may take
     * @throws IOException if the server will not do; the message names the field
     */
    static Link open(ConnectorSettings settings, String name, Session before, long millis) throws IOException,
            InterruptedException {
        String server = settings.text("server");
        boolean secure = !settings.text("security").equals("none");
        Link link = null;
        boolean made = false;
        try {
            String host = EndpointUtil.getHost(server);
            EndpointDescription endpoint = Endpoints.choose(settings, DiscoveryClient.getEndpoints(server,
                    asking -> asking.setConnectTimeout(uint(millis)).setRequestTimeout(uint(millis)))
                    .get(2 * millis, TimeUnit.MILLISECONDS));
            Login login = new Login(settings, new Certificates(settings, host), EndpointUtil.updateUrl(endpoint, host,
                    EndpointUtil.getPort(server)), name);
            if (secure) {       // before the server looks at ours, and says no more than that it does not believe it
                login.certificates().validateCertificateChain(CertificateUtil.decodeCertificates(endpoint.getServerCertificate()
                        .bytesOrEmpty()));
            }
            link = new Link(login, UaStackClient.create(configured(login, millis)), millis);
            link.client.connect().get(2 * millis, TimeUnit.MILLISECONDS);
            link.begin(before);
            made = true;
            return link;
        } catch (ExecutionException | TimeoutException | UaException | FaultException | LostException e) {
            throw Words.unconnected(settings, e, secure);
        } finally {
            if (!made && link != null) {
                link.abandon();
            }
        }
    }

    private static UaStackClientConfig configured(Login login, long millis) {
        Certificates certificates = login.certificates();
        UaStackClientConfigBuilder config = UaStackClientConfig.builder();
        config.setEndpoint(login.endpoint()).setCertificateValidator(certificates).setConnectTimeout(uint(millis))
                .setAcknowledgeTimeout(uint(millis)).setRequestTimeout(uint(millis)).setEncodingLimits(new EncodingLimits(
                        CHUNK_BYTES, 2 * MESSAGE_BYTES / CHUNK_BYTES, MESSAGE_BYTES, DEPTH));
        if (login.isSecure()) {
            config.setKeyPair(certificates.keys()).setCertificate(certificates.own().get(0))
                    .setCertificateChain(certificates.own().toArray(X509Certificate[]::new));
        }
        return config.build();
    }

    private void begin(Session before) throws IOException, InterruptedException, UaException {
        if (before != null) {
            try {
                before.activate(login, this);
                session = before;
                resumed = true;
            } catch (FaultException gone) {
                resumed = false;        // a new one will be told why, if it is refused too
            }
        }
        if (session == null) {
            Session made = Session.create(login, this);
            made.activate(login, this);
            session = made;
        }
        Object answer = Batches.only(ask(ReadResponse.class, header -> read(header, Identifiers.Server_NamespaceArray))
                .getResults()).getValue().getValue();
        if (!(answer instanceof String[] names)) {
            throw new IOException("`server` " + login.settings().text("server") + " does not say which namespaces it has");
        }
        client.getNamespaceTable().update(table -> {
            table.clear();
            for (int k = 0; k < names.length; k++) {
                table.forcePut(ushort(k), names[k]);
            }
        });
    }

    private static ReadRequest read(RequestHeader header, NodeId node) {
        return new ReadRequest(header, 0.0, TimestampsToReturn.Neither, new ReadValueId[] {new ReadValueId(node,
                AttributeId.Value.uid(), null, QualifiedName.NULL_VALUE)});
    }

    /** Whether its password has travelled in the clear. */
    boolean isOpen() {
        return login.isOpen();
    }

    Session session() {
        return session;
    }

    /** Whether it is in the session of an earlier connection. */
    boolean isResumed() {
        return resumed;
    }

    boolean isBroken() {
        return broken;
    }

    NamespaceTable namespaces() {
        return client.getNamespaceTable();
    }

    SerializationContext context() {
        return client.getStaticSerializationContext();
    }

    /** Asks from time to time whether the server is there, and does not wait. A session that says nothing comes to its end. */
    void live() {
        long now = System.nanoTime();
        if (now - asked > ALIVE_NANOS) {
            asked = now;
            send(header -> read(header, Identifiers.Server_ServerStatus_State), millis).whenComplete((answer, why) ->
                    broken |= why != null);
        }
    }

    /** Asks, and does not wait. @param patience how long the answer may take, in milliseconds */
    CompletableFuture<UaResponseMessage> send(Function<RequestHeader, UaRequestMessage> question, long patience) {
        return client.sendRequest(question.apply(client.newRequestHeader(session.token(), uint(patience))));
    }

    /**
     * Asks. Blocks.
     *
     * @throws FaultException if the server answers that it will not
     * @throws IOException    if there is no answer
     */
    <T extends UaResponseMessage> T ask(Class<T> answer, Function<RequestHeader, UaRequestMessage> question) throws IOException,
            InterruptedException {
        return ask(answer, session.token(), question);
    }

    /** The same in a session that need not be active yet. */
    <T extends UaResponseMessage> T ask(Class<T> answer, NodeId token, Function<RequestHeader, UaRequestMessage> question)
            throws IOException, InterruptedException {
        if (broken) {
            throw Words.lost(login.settings(), null, null);
        }
        try {
            return answer.cast(client.sendRequest(question.apply(client.newRequestHeader(token, uint(millis))))
                    .get(2 * millis, TimeUnit.MILLISECONDS));
        } catch (ExecutionException | TimeoutException e) {
            throw Words.unanswered(login.settings(), e);
        }
    }

    /** Ends it, and all that the server keeps for it. */
    @Override
    public void close() {
        try {
            ask(CloseSessionResponse.class, header -> new CloseSessionRequest(header, true));
        } catch (IOException away) {
            // then the session ends when its time is over
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        abandon();
    }

    /** Ends the connection alone: the server keeps the session for the next one. */
    void abandon() {
        try {
            client.disconnect().get(CLOSE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException atLeastTried) {
            // it is away
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
