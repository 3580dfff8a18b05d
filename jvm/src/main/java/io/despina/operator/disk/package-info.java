/** Files by their names: on which file system one lies, how it is packed, and who tells that it has changed. */
package io.despina.operator.disk;
