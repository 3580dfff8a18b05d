package io.despina.opcua;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.List;
import org.eclipse.milo.opcua.sdk.client.api.identity.SignedIdentityToken;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.security.SecurityAlgorithm;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.enumerated.ApplicationType;
import org.eclipse.milo.opcua.stack.core.types.structured.ActivateSessionRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.ActivateSessionResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.ApplicationDescription;
import org.eclipse.milo.opcua.stack.core.types.structured.CreateSessionRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.CreateSessionResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.SignatureData;
import org.eclipse.milo.opcua.stack.core.types.structured.SignedSoftwareCertificate;
import org.eclipse.milo.opcua.stack.core.util.CertificateUtil;
import org.eclipse.milo.opcua.stack.core.util.NonceUtil;
import org.eclipse.milo.opcua.stack.core.util.SignatureUtil;

/**
 * A session at a server. It outlives connections, and its subscriptions with it: who comes back activates it on the next one.
 * Milo's own client makes another session then, to which many servers do not give the subscriptions of an anonymous one.
 */
final class Session {
    private static final int NONCE_BYTES = 32;
    private static final SignatureData NO_SIGNATURE = new SignatureData(null, null);

    private final NodeId token;
    /** The last that the server has sent, to be signed. */
    private ByteString nonce;

    private Session(NodeId token, ByteString nonce) {
        this.token = token;
        this.nonce = nonce;
    }

    /** What stands in the header of each request. */
    NodeId token() {
        return token;
    }

    /**
     * Has the server make one, which is not active yet. Blocks.
     *
     * @throws UaException if the server does not prove that it has the key of its certificate
     */
    static Session create(Login login, Link link) throws IOException, InterruptedException, UaException {
        ByteString own = login.isSecure() ? bytes(login.certificates().own().get(0)) : ByteString.NULL_VALUE;
        ByteString challenge = NonceUtil.generateNonce(NONCE_BYTES);
        ApplicationDescription application = new ApplicationDescription(login.certificates().uri(), "urn:despina",
                LocalizedText.english("despina"), ApplicationType.Client, null, null, null);
        CreateSessionResponse made = link.ask(CreateSessionResponse.class, NodeId.NULL_VALUE, header -> new CreateSessionRequest(
                header, application, null, login.endpoint().getEndpointUrl(), login.session(), challenge, own,
                (double) login.settings().whole("keep_ms"), uint(0)));
        if (login.isSecure()) {
            verify(login, made, ByteBuffer.allocate(own.length() + challenge.length()).put(own.bytesOrEmpty())
                    .put(challenge.bytesOrEmpty()).array());
        }
        return new Session(made.getAuthenticationToken(), made.getServerNonce());
    }

    private static void verify(Login login, CreateSessionResponse made, byte[] signed) throws UaException {
        X509Certificate server = server(login);
        List<X509Certificate> shown = CertificateUtil.decodeCertificates(made.getServerCertificate().bytesOrEmpty());
        if (shown.isEmpty() || !shown.get(0).equals(server)) {
            throw new UaException(StatusCodes.Bad_SecurityChecksFailed, "the session has another certificate than the endpoint");
        }
        SignatureData signature = made.getServerSignature();
        SignatureUtil.verify(SecurityAlgorithm.fromUri(signature.getAlgorithm()), server, signed,
                signature.getSignature().bytesOrEmpty());
    }

    private static X509Certificate server(Login login) throws UaException {
        return CertificateUtil.decodeCertificates(login.endpoint().getServerCertificate().bytesOrEmpty()).get(0);
    }

    private static ByteString bytes(X509Certificate certificate) throws UaException {
        try {
            return ByteString.of(certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new UaException(StatusCodes.Bad_CertificateInvalid, e);
        }
    }

    /**
     * Logs in, and binds it to the connection. Blocks.
     *
     * @throws FaultException if the server does not have it, or refuses the login
     */
    void activate(Login login, Link link) throws IOException, InterruptedException, UaException {
        SignedIdentityToken user;
        try {
            user = login.user().getIdentityToken(login.endpoint(), nonce);
        } catch (IOException | UaException e) {
            throw e;
        } catch (Exception e) {         // Milo declares no other
            throw new UaException(StatusCodes.Bad_IdentityTokenInvalid, e);
        }
        SignatureData own = login.isSecure() ? sign(login) : NO_SIGNATURE;
        nonce = link.ask(ActivateSessionResponse.class, token, header -> new ActivateSessionRequest(header, own,
                new SignedSoftwareCertificate[0], new String[0], ExtensionObject.encode(link.context(), user.getToken()),
                user.getSignature())).getServerNonce();
    }

    private SignatureData sign(Login login) throws UaException {
        SecurityAlgorithm algorithm = login.policy().getAsymmetricSignatureAlgorithm();
        return new SignatureData(algorithm.getUri(), ByteString.of(SignatureUtil.sign(algorithm,
                login.certificates().keys().getPrivate(), ByteBuffer.wrap(bytes(server(login)).bytesOrEmpty()),
                ByteBuffer.wrap(nonce.bytesOrEmpty()))));
    }
}
