package io.despina.opcua;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.RefusedException;
import io.despina.connect.TlsContext;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.PKIXCertPathBuilderResult;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.eclipse.milo.opcua.stack.client.security.ClientCertificateValidator;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.util.CertificateUtil;
import org.eclipse.milo.opcua.stack.core.util.validation.CertificateValidationUtil;
import org.eclipse.milo.opcua.stack.core.util.validation.ValidationCheck;

/**
 * The source's own certificate, and whom it believes: a server whose certificate is among those of {@code trust}, or one of an
 * authority there if it names the host.
 */
final class Certificates implements ClientCertificateValidator {
    private static final String NO_URI = "urn:despina";

    private final String host;
    private final String server;
    private final boolean checks;
    private List<X509Certificate> own = List.of();
    private KeyPair keys;
    private List<X509Certificate> trusted = List.of();

    /**
     * Reads the files.
     *
     * @throws IOException if one cannot be used; the message names it
     */
    Certificates(ConnectorSettings settings, String host) throws IOException {
        this.host = host;
        server = settings.text("server");
        ConnectorSettings.Tls files = settings.has("tls") ? settings.tls("tls") : new ConnectorSettings.Tls(null, null, null);
        checks = !settings.text("security").equals("none") || files.trust() != null;
        if (files.certificate() != null) {
            own = TlsContext.certificates(files.certificate());
            keys = new KeyPair(own.get(0).getPublicKey(), TlsContext.key(files.key()));
        }
        if (files.trust() != null) {
            trusted = TlsContext.certificates(files.trust());
        }
    }

    /** Its own, and those between it and the authority's; empty without one. */
    List<X509Certificate> own() {
        return own;
    }

    /** Null without a certificate. */
    KeyPair keys() {
        return keys;
    }

    /** By which a server knows the application. */
    String uri() throws IOException {
        if (own.isEmpty()) {
            return NO_URI;
        }
        return CertificateUtil.getSanUri(own.get(0)).orElseThrow(() -> new RefusedException("the certificate of `tls` has no URI "
                + "among its other names, which OPC UA wants: subjectAltName=URI:urn:despina", null));
    }

    @Override
    public void validateCertificateChain(List<X509Certificate> chain, String applicationUri, String... hosts) throws UaException {
        validateCertificateChain(chain);
    }

    @Override
    public void validateCertificateChain(List<X509Certificate> chain) throws UaException {
        if (!checks) {
            return;
        }
        if (chain.isEmpty()) {
            throw new UaException(StatusCodes.Bad_CertificateInvalid, "refused", new RefusedException("`server` " + server
                    + " shows no certificate", null));
        }
        try {
            if (trusted.contains(chain.get(0))) {
                chain.get(0).checkValidity();
                return;
            }
            PKIXCertPathBuilderResult path = CertificateValidationUtil.buildTrustedCertPath(chain, trusted, List.of());
            CertificateValidationUtil.validateTrustedCertPath(path.getCertPath(), path.getTrustAnchor(), List.of(),
                    Set.of(ValidationCheck.VALIDITY), false);
            CertificateValidationUtil.checkHostnameOrIpAddress(chain.get(0), host);
        } catch (GeneralSecurityException | UaException e) {
            throw new UaException(StatusCodes.Bad_CertificateUntrusted, "refused", new RefusedException(unbelieved(chain.get(0),
                    e.getMessage()), e));
        }
    }

    private String unbelieved(X509Certificate certificate, String why) {
        try {
            byte[] bytes = certificate.getEncoded();
            String print = HexFormat.ofDelimiter(":").withUpperCase()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
            return "the certificate of `server` " + server + " is not among those of `trust` in `tls`, nor of an authority "
                    + "there (" + why + "). It is " + certificate.getSubjectX500Principal().getName() + ", SHA-256 "
                    + print + ". If that is the server's, append this to the file:\n-----BEGIN CERTIFICATE-----\n"
                    + Base64.getMimeEncoder().encodeToString(bytes).replace("\r", "") + "\n-----END CERTIFICATE-----";
        } catch (CertificateEncodingException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
