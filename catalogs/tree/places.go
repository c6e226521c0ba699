package tree

import (
	"encoding/binary"
	"strconv"
)

// Places has where the fields and the items of a value are, and not the values, which are several times as large. The zero value has none.
type Places []byte

// What a value is in Places. A map or a list is followed by the length of its parts in lengthBytes bytes, and these: each is the key of a field
// after its length, its place, and its value.
const (
	placesOfMap  = '{'
	placesOfList = '['
	placesOfLeaf = '.'
	lengthBytes  = 4
)

// Places returns the places of the fields and items of a value.
func (n *Node) Places() Places { return n.appendPlaces(n.Place.append(nil)) }

func (n *Node) appendPlaces(b []byte) []byte {
	switch n.Kind {
	case Map, List:
	default:
		return append(b, placesOfLeaf)
	}
	kind := byte(placesOfList)
	if n.Kind == Map {
		kind = placesOfMap
	}
	b = append(b, kind, 0, 0, 0, 0)
	begin := len(b)
	for i := range n.Fields {
		f := &n.Fields[i]
		b = append(binary.AppendUvarint(b, uint64(len(f.Key))), f.Key...)
		at := f.Place
		if at.Line == 0 { // made up
			at = f.Value.Place
		}
		b = f.Value.appendPlaces(at.append(b))
	}
	for i := range n.Items {
		b = n.Items[i].appendPlaces(n.Items[i].Place.append(b))
	}
	binary.LittleEndian.PutUint32(b[begin-lengthBytes:], uint32(len(b)-begin))
	return b
}

// append appends the line and the column.
func (p Place) append(b []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.Line)), uint64(p.Col))
}

// At returns the place of a part of the value, by its keys and indexes, the last one of a repeated key: of a field it is that of its key. If
// there is no such part, it is that of the innermost part around it. It is false if no place is known.
func (p Places) At(keys []string) (Place, bool) {
	if len(p) == 0 {
		return Place{}, false
	}
	r := placesReader{p}
	at := r.place()
	for _, key := range keys {
		place, inside, found := r.part(key)
		if !found {
			break
		}
		at, r = place, placesReader{inside}
	}
	return at, true
}

// placesReader reads Places, of which it has the rest.
type placesReader struct{ rest []byte }

func (r *placesReader) number() int {
	n, size := binary.Uvarint(r.rest)
	r.rest = r.rest[size:]
	return int(n)
}

func (r *placesReader) place() Place {
	line := r.number()
	return Place{Line: line, Col: r.number()}
}

// take returns the next bytes.
func (r *placesReader) take(n int) []byte {
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// value returns the next value, which begins with its kind, and the parts in it.
func (r *placesReader) value() (whole, parts []byte) {
	begin := r.rest
	if kind := r.take(1)[0]; kind == placesOfLeaf {
		return begin[:1], nil
	}
	parts = r.take(int(binary.LittleEndian.Uint32(r.take(lengthBytes))))
	return begin[:len(begin)-len(r.rest)], parts
}

// part returns the place of a part of the next value, and the value of the part.
func (r *placesReader) part(key string) (at Place, value []byte, found bool) {
	isMap := r.rest[0] == placesOfMap
	_, parts := r.value()
	in := placesReader{parts}
	for i := 0; len(in.rest) > 0; i++ {
		var same bool
		if isMap {
			same = string(in.take(in.number())) == key
		} else {
			index, err := strconv.Atoi(key)
			same = err == nil && index == i
		}
		place := in.place()
		whole, _ := in.value()
		if same {
			at, value, found = place, whole, true
		}
	}
	return at, value, found
}
