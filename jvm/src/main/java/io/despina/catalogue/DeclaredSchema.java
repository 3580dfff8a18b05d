package io.despina.catalogue;

import io.despina.descriptor.Ddl;
import io.despina.descriptor.Text;
import io.despina.packet.Schema;

/** A field of DDL, which the checker has read once before. */
final class DeclaredSchema {
    private DeclaredSchema() {
    }

    static Schema of(Text written) {
        try {
            return Ddl.parse(written.value());
        } catch (Ddl.DdlException e) {
            throw new IllegalStateException("checked before", e);
        }
    }
}
