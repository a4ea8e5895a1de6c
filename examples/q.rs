use twistbase::query::*; use twistbase::tables; use twistbase::puzzle::square1::*; use twistbase::puzzle::square1::notation::*; use std::time::Instant;
fn main(){
  let s=twistbase::store::Store::open("/tmp/store");
  let name=std::env::args().nth(1).unwrap();
  let d=tables::find_twists(&name).unwrap();
  use twistbase::tables::Definition;
  let st=s.table(d.layout()).unwrap();
  let t0=Instant::now();
  let rows:Vec<Vec<u8>>=(0..90).map(|r|{let mut v=vec![0;d.layout().row_bytes()]; st.read_row(r,&mut v).unwrap(); v}).collect();
  println!("load {:?}",t0.elapsed());
  let t=Table::in_memory(d,rows).unwrap();
  let ts=Table::over(d,st);
  if name=="cube21" { let f=std::fs::read_to_string("data/cube21_positions.csv").unwrap();
   for l in f.lines().skip(1){ let c:Vec<&str>=l.split(',').collect(); let p=parse_position(c[0],Colouring::Cube21).unwrap().position;
     let g=|goal,m| t.distance(&p.with_middle(m),goal).unwrap().twists().to_string();
     assert_eq!(g(MiddleGoal::Ignored,Middle::Square),c[2]); assert_eq!(g(MiddleGoal::Square,Middle::Square),c[3]); assert_eq!(g(MiddleGoal::Square,Middle::Kite),c[4]);
     assert_eq!(ts.distance(&p,MiddleGoal::Ignored).unwrap().twists().to_string(),c[2]);
     if !c[8].is_empty(){ let n=t.count(&p,MiddleGoal::Ignored,&Default::default()).unwrap(); assert_eq!(n.sequences.to_string(),c[8],"{l}"); assert_eq!(n.alignments.to_string(),c[9]); 
       if n.paths.to_string()!=c[10]{println!("paths {n:?} {l}");}
       let mut k=0; for s in t.solutions(&p,MiddleGoal::Ignored).unwrap(){ let s=s.unwrap(); let e=s.sequence().apply(&p).unwrap(); assert_eq!(e.solving_turn(Colouring::Cube21),Some(Turn::NONE)); k+=1;} assert_eq!(k,n.alignments); }
   } println!("golden ok"); }
  if name=="square1" { let f=std::fs::read_to_string("data/square1_twists.csv").unwrap();
   for l in f.lines().skip(1){ let c:Vec<&str>=l.split('"').collect(); let h=c[0].trim_matches(','); let e:Vec<&str>=c[2].trim_matches(',').split(',').collect(); let p=parse_position(h,Colouring::Square1).unwrap().position;
     let g=|m| t.distance(&p.with_middle(m),MiddleGoal::Square).unwrap().twists().to_string();
     assert_eq!([g(Middle::Square),g(Middle::Kite)],[e[0],e[1]],"{l}");
   } println!("golden ok"); }
  use rand::SeedableRng; let mut r=rand_chacha::ChaCha8Rng::seed_from_u64(1);
  let ps:Vec<Position>=(0..1_000_000).map(|_| random_position(&mut r)).collect();
  let t0=Instant::now(); let mut h=[0u32;16]; for p in &ps { h[t.distance(p,MiddleGoal::Ignored).unwrap().twists() as usize]+=1; } println!("ram lookups {:?} per 1M {h:?}",t0.elapsed());
  let t0=Instant::now(); let mut x=0; for p in &ps { let q=t.place(p); x^=q.entry; } println!("rank only {:?} {x}",t0.elapsed());
  let t0=Instant::now(); let mut h=0; for p in &ps[..10000] { h+=ts.distance(p,MiddleGoal::Ignored).unwrap().twists() as usize; } println!("redb lookups {:?} per 10K {h:?}",t0.elapsed());
  let t0=Instant::now(); let mut n=0u64; let mut len=0; let mut mx=0; for p in &ps[..300] { let mut k=0; for s in t.solutions(p,MiddleGoal::Ignored).unwrap(){ let s=s.unwrap(); len+=s.sequence().to_string().len(); n+=1;k+=1;} mx=mx.max(k);} println!("solutions {n} in {:?} chars {len} max {mx}",t0.elapsed());
  let t0=Instant::now(); let mut n=0; for p in &ps[..300] { n+=t.count(p,MiddleGoal::Ignored,&Default::default()).unwrap().alignments; } println!("counts {n} in {:?}",t0.elapsed());
}
